/// The page of a service: what it says of itself, to be held against its code.
struct ServicePage: Sendable {
    static let headings = ["Consumes", "Decides", "Publishes", "Stores"]

    let path: String
    /// The headings of the second level, in order.
    let headings: [String]
    /// The wire names on the page, and those of them that stand under `Publishes`.
    let named: Set<String>
    let told: Set<String>

    init(_ file: SourceFile) {
        path = file.path
        var headings: [String] = []
        var named: Set<String> = []
        var told: Set<String> = []
        for line in file.lines {
            if line.hasPrefix("## ") { headings.append(String(line.dropFirst(3))) }
            for match in line.matches(of: #/farm\.furrow(?:\.[a-z-]+){2}\.v\d+/#) {
                named.insert(String(match.output))
                if headings.last == "Publishes" { told.insert(String(match.output)) }
            }
        }
        (self.headings, self.named, self.told) = (headings, named, told)
    }

    /// What is wrong with the page, given the events there are and those that the service's code makes.
    func faults(known: Set<String>, made: Set<String>) -> [String] {
        var faults: [String] = []
        for heading in Self.headings where !headings.contains(heading) { faults.append("\(path) lacks ## \(heading)") }
        if headings.filter(Self.headings.contains) != Self.headings.filter(headings.contains) {
            faults.append("\(path) has its headings in another order")
        }
        faults += named.subtracting(known).sorted().map { "\(path) names \($0), which there is not" }
        faults += made.subtracting(told).sorted().map { "\(path) does not say that \($0) is told" }
        faults += told.subtracting(made).sorted().map { "\(path) says \($0) is told, and no code tells it" }
        return faults
    }
}

extension Repository {
    /// The wire name of every event by the name of its type.
    var events: [String: String] {
        var events: [String: String] = [:]
        for file in files
        where file.path.hasPrefix("Shared/Events/") || file.path == "Shared/EventSourcing/Journal.swift" {
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

    /// The events that a service's code makes: it calls their initialisers outside the rooms that only read.
    func made(by service: String, of events: [String: String]) -> Set<String> {
        var made: Set<String> = []
        for file in files
        where file.isSwift && file.path.hasPrefix("Services/\(service)/") && !file.path.contains("/Radio/")
            && !file.path.contains("/Views/")
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
