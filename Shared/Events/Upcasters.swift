public import JSON

/// Reads what earlier versions of Furrow wrote: for a wire name that is no longer written, how its data becomes that of
/// the next version. Pure; the stored bytes stay what they are.
public struct Upcasters: Sendable {
    /// One step, from a version to a newer one.
    public struct Step: Sendable {
        public let from: String
        public let to: String
        public let lift: @Sendable (JSONAny) throws(JSONError) -> JSONAny

        public init(
            from: String, to: String, lift: @escaping @Sendable (JSONAny) throws(JSONError) -> JSONAny
        ) {
            self.from = from
            self.to = to
            self.lift = lift
        }
    }

    private let steps: [String: Step]

    /// Only to a newer version of the same fact: anything else is left out, so it could never go in circles.
    public init(_ steps: [Step]) {
        let rising = steps.filter { step in
            guard let from = EventVersion(step.from), let to = EventVersion(step.to) else { return false }
            return from.fact == to.fact && from.number < to.number
        }
        self.steps = Dictionary(rising.map { ($0.from, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Of everything that was ever published. Each has a golden file for ever.
    public static let published = Upcasters([])

    /// The wire names that are read and no longer written.
    public var names: [String] { steps.keys.sorted() }

    /// The next version's name and data; nil where there is no step from this one.
    func lift(_ name: String, _ data: JSONValue) throws(JSONError) -> (name: String, data: [UInt8])? {
        guard let step = steps[name] else { return nil }
        var json = JSONWriter()
        try step.lift(JSONAny(json: data)).write(to: &json)
        return (step.to, json.bytes)
    }
}

/// A wire name taken apart: `farm.furrow.trace.harvested` and 1.
public struct EventVersion: Equatable, Sendable {
    public let fact: String
    public let number: Int

    /// Nil where the name has no version.
    public init?(_ name: String) {
        guard let dot = name.lastIndex(of: "."), name[name.index(after: dot)...].first == "v",
            let number = Int(name[dot...].dropFirst(2)), number >= 0
        else { return nil }
        fact = String(name[..<dot])
        self.number = number
    }
}
