/// The README.md of a service, compared with its code.
struct ServicePage: Sendable {
    static let headings = ["Consumes", "Decides", "Publishes", "Stores"]

    let path: String
    /// The headings of the second level, in order.
    let headings: [String]
    /// The wire names on the page, and those of them under `Publishes`.
    let named: Set<String>
    let published: Set<String>

    init(_ file: SourceFile) {
        path = file.path
        var headings: [String] = []
        var named: Set<String> = []
        var published: Set<String> = []
        for line in file.lines {
            if line.hasPrefix("## ") { headings.append(String(line.dropFirst(3))) }
            for match in line.matches(of: #/farm\.furrow(?:\.[a-z-]+){2}\.v\d+/#) {
                named.insert(String(match.output))
                if headings.last == "Publishes" { published.insert(String(match.output)) }
            }
        }
        (self.headings, self.named, self.published) = (headings, named, published)
    }

    /// Returns the faults of the page, given all event names and those that the service's code creates.
    func faults(known: Set<String>, made: Set<String>) -> [String] {
        var faults: [String] = []
        for heading in Self.headings where !headings.contains(heading) { faults.append("\(path) lacks ## \(heading)") }
        if headings.filter(Self.headings.contains) != Self.headings.filter(headings.contains) {
            faults.append("\(path) has its headings in another order")
        }
        faults += named.subtracting(known).sorted().map { "\(path) names \($0), which does not exist" }
        faults += made.subtracting(published).sorted().map { "\(path) does not list \($0) under Publishes" }
        faults += published.subtracting(made).sorted().map { "\(path) lists \($0), which no code creates" }
        return faults
    }
}

extension Repository {
    /// The wire name of every event, by the name of its type.
    var events: [String: String] {
        var events: [String: String] = [:]
        for file in files
        where file.path.hasPrefix("Shared/Events/Generated/") || file.path.hasPrefix("Shared/EventSourcing/Generated/")
        {
            var type = ""
            for line in file.lines {
                if let match = line.firstMatch(of: #/^public struct (\w+): Event\b/#) { type = String(match.1) }
                if let match = line.firstMatch(of: #/static let name = "(farm\.furrow[a-z0-9.-]+)"/#), !type.isEmpty {
                    events[type] = String(match.1)
                }
            }
        }
        return events
    }

    /// Returns the events that a service's code creates: it calls their initialisers outside the folders that only
    /// read.
    func made(by service: String, of events: [String: String]) -> Set<String> {
        var made: Set<String> = []
        for file in files
        where file.isSwift && file.path.hasPrefix("Services/\(service)/")
            && !file.path.contains("/Projections/")
        {
            for line in file.code {
                for match in line.matches(of: #/(?:^|[^.\w])([A-Z]\w+)\(/#) {
                    if let name = events[String(match.1)], !line.contains("json: ") { made.insert(name) }
                }
            }
        }
        return made
    }
}
