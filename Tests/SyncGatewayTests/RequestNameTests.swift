import Testing
import Wire

@testable import SyncGateway

/// The routes and the requests that services answer.
struct RequestNameTests {
    /// The requests that the gateway, another service or the operator's command makes, and no route names.
    private static let internalRequests: Set<String> = [
        "beacons-near", "checkpoints", "entries", "export", "gorse", "kept-reports", "labels", "passport-proof",
        "record-photograph", "refresh-passport", "tell-payment",
    ]

    @Test func `every request of a service has a route, or is listed as internal`() {
        var names: Set<String> = []
        func add<Name: RequestName>(_ type: Name.Type) { names.formUnion(Name.allCases.map(\.rawValue)) }
        add(LedgerCommandName.self)
        add(LedgerQueryName.self)
        add(LandQueryName.self)
        add(LotQueryName.self)
        add(InventoryQueryName.self)
        add(ReceptionName.self)
        add(SensorCommandName.self)
        add(SensorQueryName.self)
        add(MarketCommandName.self)
        add(ContactCommandName.self)
        add(MarketQueryName.self)
        add(RecommenderCommandName.self)
        add(RecommenderQueryName.self)
        let routed = Set(Routes.all.map(\.name))
        #expect(names.subtracting(routed) == Self.internalRequests)
        #expect(names.count > 120, "\(names.count) requests have names")
    }

    /// Returns the members of a command's body; nil for what is received by radio, which no route names.
    private static func members(of command: CommandName) -> [String]? {
        let declaration: CommandDeclaration? =
            switch command {
            case .ledger(let name): name.declaration
            case .sensors(let name): name.declaration
            case .market(let name): name.declaration
            case .contact(let name): name.declaration
            case .recommender(let name): name.declaration
            case .reception: nil
            }
        return declaration?.members.map(\.name)
    }

    @Test func `what the address of a command contains are members of its body`() throws {
        var declared = 0
        for route in Routes.all {
            guard case .command(let command) = route.duty else { continue }
            declared += 1
            let members = Set(try #require(Self.members(of: command)))
            #expect(members.isSuperset(of: route.path.parameters), "\(route.name)")
        }
        #expect(declared >= 68)
    }

    @Test func `a command goes to the service that decides it`() {
        var counted: [String: Int] = [:]
        for route in Routes.all {
            guard case .command(let command) = route.duty else { continue }
            #expect(command.request.rawValue == route.name)
            counted[command.request.service, default: 0] += 1
        }
        #expect(Set(counted.keys) == ["trace-ledger", "sensor-ingest", "catalog-orders", "recommender"])
        #expect(counted.values.reduce(0, +) > 60)
    }
}
