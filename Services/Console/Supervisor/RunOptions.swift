/// What `furrow run` is told.
struct RunOptions: Sendable {
    var home: String?
    var port = 8080
    var httpsPort: Int?
    var ingest = 1
    var isDemo = false
    var clock: String?
    /// The folder of the web pages.
    var web = ""
    /// How fast a demonstration's week may go by at most; it waits for the slowest.
    var demoRate = 1_000_000
    var patienceSeconds = 300

    /// How long a demonstration's clock waits before it runs.
    static let demoPreludeSeconds = 6.0

    init(_ arguments: inout Arguments) throws(Refusal) {
        home = try arguments.value("--home")
        port = try arguments.number("--port", 1...65_535) ?? port
        httpsPort = try arguments.number("--https-port", 1...65_535)
        ingest = try arguments.number("--ingest", 1...16) ?? ingest
        isDemo = arguments.flag("--demo")
        clock = try arguments.value("--clock")
        web = try arguments.value("--web") ?? ""
        demoRate = try arguments.number("--demo-rate", 1...1_000_000) ?? demoRate
    }
}
