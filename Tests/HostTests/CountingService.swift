import EventBus
import EventSourcing
import Events
import Host
import JSON
import Vocabulary
import Wire

/// A minimal service that counts reports by device, its own and foreign ones.
struct CountingService: Service {
    static let name = "counting"
    static let tables = [CountRow.schema]

    static func onlyWitnesses(_ origin: Origin) -> Bool { origin.slot > 0 }

    static func fold(_ recorded: RecordedEvent, into tables: some Tables) {
        guard case .sensors(.measured(let event)) = recorded.fact else { return }
        var row = tables.get(CountRow.self, event.device.rawValue) ?? CountRow(key: event.device.rawValue)
        // The trail depends on the order, so a fold in another order gives another row.
        row.count += 1
        row.trail = row.trail &* 31 &+ Int64(event.counter ?? 0)
        tables.put(row)
    }

    mutating func step(_ input: Input, at now: Instant, seeing tables: any Tables) -> [Effect] {
        switch input {
        case .asked(let ask) where ask.verb == "count":
            let seen = tables.get(CountRow.self, "ble:01")?.count ?? 0
            let event = Self.report("ble:01", seen + 1)
            return [.settle(ask, [event], .made(201) { $0.field("number", seen + 1) })]
        case .asked(let ask) where ask.verb == "refuse":
            return [.settle(ask, [], Problem(409, "no", "Not today.").answer)]
        case .asked(let ask) where ask.verb == "fail":
            return [.settle(ask, [Self.report("ble:01", 1)], Problem(503, "away", "Not just now.").answer)]
        case .asked(let ask) where ask.verb == "be-early":
            return [.settle(ask, [Self.report("ble:01", 1)], Problem(425, "early", "Not yet.").answer)]
        case .asked(let ask) where ask.verb == "tell-too-much":
            let answer = Response(status: 201, body: Array(repeating: 0x20, count: BusLimits.bodyBytes + 1))
            return [.settle(ask, [Self.report("ble:01", 1)], answer)]
        case .heard(_, let events):
            return [.append(events.map { Self.report("ble:99", Int(exactly: $0.envelope.position) ?? 0) })]
        default: return []
        }
    }

    static func report(_ device: String, _ number: Int) -> Draft {
        let event = Measured(
            device: DeviceID(device), format: "test", readings: [Reading(.temperature, 20)], source: "test",
            counter: UInt64(number), repeats: 1, payload: "00")
        return Draft(event, in: "device/\(device)", by: .node(DeviceID(device)))
    }
}

struct CountRow: TableRow {
    static let schema = TableSchema("count", [("count", .integer), ("trail", .integer)])

    let key: String
    var count = 0
    var trail: Int64 = 0

    init(key: String) {
        self.key = key
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        count = try cells.int()
        trail = try cells.integer()
    }

    var cells: [Cell] { [.integer(Int64(count)), .integer(trail)] }
}
