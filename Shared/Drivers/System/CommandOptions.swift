/// The options of a command that takes nothing else, each given as `--name value` or `--name=value`.
///
/// ```
/// let given = try CommandOptions(["--home", "/tmp/a"], of: ["--home", "--port"])
/// let home = given["--home"] ?? "/var/lib/a"
/// ```
public struct CommandOptions: Hashable, Sendable {
    private var values: [String: [String]] = [:]

    /// Reads words. Throws if one is no option of `names`, or lacks its value.
    public init(_ words: [String], of names: Set<String>) throws(UsageError) {
        var rest = words[...]
        while let word = rest.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            guard let name = parts.first, names.contains(name) else {
                throw UsageError("\(word) is not understood; try --help")
            }
            guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
                throw UsageError("\(name) needs a value after it")
            }
            values[name, default: []].append(value)
        }
    }

    /// The last value of an option; nil if it was not given.
    public subscript(name: String) -> String? { values[name]?.last }

    /// Returns all values of an option, in order.
    public func all(_ name: String) -> [String] { values[name] ?? [] }
}

/// Why a command was called wrongly, in words for the person who called it.
public struct UsageError: Error, Hashable {
    /// What is missing or wrong.
    public let reason: String

    /// Creates an error with what is missing or wrong.
    public init(_ reason: String) { self.reason = reason }
}
