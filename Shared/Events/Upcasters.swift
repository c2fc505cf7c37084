public import JSON

/// Converts events of earlier versions: the data of a name that is no longer written becomes that of the next version.
///
/// Upcasters are pure, and the stored bytes are not changed.
public struct Upcasters: Sendable {
    /// One step, from a version to a newer one.
    public struct Step: Sendable {
        /// The wire name that is read.
        public let from: String
        /// The wire name of the newer version.
        public let to: String
        /// Converts the data; throws if it is malformed.
        public let lift: @Sendable (JSONAny) throws(JSONError) -> JSONAny

        /// Creates a step.
        public init(
            from: String, to: String, lift: @escaping @Sendable (JSONAny) throws(JSONError) -> JSONAny
        ) {
            self.from = from
            self.to = to
            self.lift = lift
        }
    }

    private let steps: [String: Step]

    /// Creates upcasters; a step that is not to a newer version of the same event is ignored, so there are no cycles.
    public init(_ steps: [Step]) {
        let rising = steps.filter { step in
            guard let from = EventVersion(step.from), let to = EventVersion(step.to) else { return false }
            return from.fact == to.fact && from.number < to.number
        }
        self.steps = Dictionary(rising.map { ($0.from, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The upcasters of all published versions; each version has a permanent golden file.
    public static let published = Upcasters([])

    /// The wire names that are read and no longer written.
    public var names: [String] { steps.keys.sorted() }

    /// Returns the next version's name and data; nil if there is no step from this one.
    func lift(_ name: String, _ data: JSONValue) throws(JSONError) -> (name: String, data: [UInt8])? {
        guard let step = steps[name] else { return nil }
        var json = JSONWriter()
        try step.lift(JSONAny(json: data)).write(to: &json)
        return (step.to, json.bytes)
    }
}

/// The parts of a wire name: `farm.furrow.trace.harvested` and 1.
public struct EventVersion: Equatable, Sendable {
    /// The name without its version.
    public let fact: String
    /// The number of the version.
    public let number: Int

    /// Reads a wire name; nil if it has no version.
    public init?(_ name: String) {
        guard let dot = name.lastIndex(of: "."), name[name.index(after: dot)...].first == "v",
            let number = Int(name[dot...].dropFirst(2)), number >= 0
        else { return nil }
        fact = String(name[..<dot])
        self.number = number
    }
}
