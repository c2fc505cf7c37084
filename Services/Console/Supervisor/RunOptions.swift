/// The options of `furrow run`.
struct RunOptions: Sendable {
    var home: String?
    var port = 8080
    var httpsPort: Int?
    var ingest = 1
    var isDemo = false
    /// Whether two nodes run beside a demonstration.
    var hasNodes = false
    /// Whether orders can be paid with the sandbox provider, which then runs beside the services.
    var hasSandbox = false
    /// A seed that makes the sandbox provider's notices late, repeated and reordered; nil disables this.
    var sandboxChaos: Int?
    var clock: String?
    /// The folder of the web pages.
    var web = ""
    /// The highest rate of a demonstration's first week; the clock waits for the slowest service.
    var demoRate = 1_000_000
    var patienceSeconds = 300

    /// The time for which a demonstration's clock stands still before it runs.
    static let demoPreludeSeconds = 6.0

    init(_ arguments: inout Arguments) throws(Refusal) {
        home = try arguments.value("--home")
        port = try arguments.number("--port", 1...65_535) ?? port
        httpsPort = try arguments.number("--https-port", 1...65_535)
        ingest = try arguments.number("--ingest", 1...16) ?? ingest
        isDemo = arguments.flag("--demo")
        hasNodes = arguments.flag("--node")
        guard isDemo || !hasNodes else { throw Refusal("--node belongs to --demo; a node of your own is furrow-node.") }
        sandboxChaos = try arguments.number("--sandbox-chaos", 0...Int(Int32.max))
        hasSandbox = arguments.flag("--sandbox-pay") || isDemo || sandboxChaos != nil
        clock = try arguments.value("--clock")
        web = try arguments.value("--web") ?? ""
        demoRate = try arguments.number("--demo-rate", 1...1_000_000) ?? demoRate
    }
}
