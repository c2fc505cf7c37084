/// The arguments after a command's name. Each method removes what it matches; `end()` rejects what is left.
struct Arguments {
    private var words: [String]

    init(_ words: [String]) {
        self.words = words
    }

    mutating func flag(_ name: String) -> Bool {
        guard let index = words.firstIndex(of: name) else { return false }
        words.remove(at: index)
        return true
    }

    /// Removes and returns the value of `name`, given as `--home DIR` or `--home=DIR`. Throws if the value is missing.
    mutating func value(_ name: String) throws(Refusal) -> String? {
        if let index = words.firstIndex(where: { $0.hasPrefix(name + "=") }) {
            return String(words.remove(at: index).dropFirst(name.utf8.count + 1))
        }
        guard let index = words.firstIndex(of: name) else { return nil }
        guard index + 1 < words.count else { throw Refusal("\(name) needs a value after it.", isMisuse: true) }
        words.remove(at: index)
        return words.remove(at: index)
    }

    mutating func number(_ name: String, _ range: ClosedRange<Int>) throws(Refusal) -> Int? {
        guard let text = try value(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw Refusal(
                "\(name) wants a number from \(range.lowerBound) to \(range.upperBound), not \(text).", isMisuse: true)
        }
        return number
    }

    /// Removes and returns the first argument that is not an option; a single dash is none.
    mutating func word() -> String? {
        guard let index = words.firstIndex(where: { !$0.hasPrefix("-") || $0 == "-" }) else { return nil }
        return words.remove(at: index)
    }

    /// Throws if an argument is left that the command has not read.
    func end() throws(Refusal) {
        if let first = words.first { throw Refusal("\(first) is not understood here; try --help.", isMisuse: true) }
    }
}
