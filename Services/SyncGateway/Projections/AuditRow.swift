import EventSourcing
import Events
import Vocabulary

/// A line of the audit log. Keys count down, so that a scan returns the newest line first.
struct AuditRow: TableRow {
    static let schema = TableSchema(
        "audit_log",
        [
            ("at", .integer), ("what", .text), ("person", .text), ("gateway", .text), ("actor", .text),
            ("count", .integer), ("device", .text),
        ])

    let key: String
    let at: Instant
    /// The name of an access change, or `signed-in`, `sign-in-refused`, `account-created`, `account-erased`.
    let what: String
    let person: String?
    let gateway: String?
    let actor: String
    let count: Int
    /// The sensor whose key was changed; nil for changes of accounts and gateways.
    let device: String?

    init(
        _ number: Int, _ envelope: Envelope, _ what: String, person: PersonID? = nil, gateway: String? = nil,
        device: DeviceID? = nil, count: Int = 1
    ) {
        key = Self.key(number)
        at = envelope.time
        self.what = what
        self.person = person?.rawValue
        self.gateway = gateway
        actor = "\(envelope.actor)"
        self.count = count
        self.device = device?.rawValue
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        at = Instant(microseconds: try cells.integer())
        what = try cells.text()
        person = try cells.optionalText()
        gateway = try cells.optionalText()
        actor = try cells.text()
        count = Int(try cells.integer())
        device = try cells.optionalText()
    }

    var cells: [Cell] {
        [
            .integer(at.microseconds), .text(what), Cell(person), Cell(gateway), .text(actor), .integer(Int64(count)),
            Cell(device),
        ]
    }

    private static let most = 999_999_999_999

    static func key(_ number: Int) -> String {
        let digits = String(most - number)
        return String(repeating: "0", count: 12 - digits.count) + digits
    }

    static func number(of key: String) -> Int { most - (Int(key) ?? most) }
}

/// Projects access events into the audit log, which retains the newest `GatewayLimits.auditRows` lines.
enum AuditViews {
    static func apply(_ fact: SyncEvent, _ envelope: Envelope, to tables: some Tables) {
        switch fact {
        case .staffEnrolled(let event): add("account-created", envelope, tables, person: event.person)
        case .buyerEnrolled(let event): add("account-created", envelope, tables, person: event.person)
        case .personErased(let event): add("account-erased", envelope, tables, person: event.person)
        case .accessChanged(let event):
            add(
                event.change.rawValue, envelope, tables, person: event.person,
                gateway: event.gateway, device: event.device)
        case .signInsCounted(let event):
            if event.done > 0 { add("signed-in", envelope, tables, person: event.person, count: event.done) }
            if event.refused > 0 {
                add("sign-in-refused", envelope, tables, person: event.person, count: event.refused)
            }
        case .notificationChannelSet(let event):
            add("\(event.kind.rawValue)-\(event.state.rawValue)", envelope, tables, person: event.person)
        case .sitePresented, .messageSent, .messageGaveUp, .messageWithdrawn, .serverTroubleRaised,
            .serverTroubleCleared, .promotionNotified:
            break
        }
    }

    private static func add(
        _ what: String, _ envelope: Envelope, _ tables: some Tables, person: PersonID? = nil, gateway: String? = nil,
        device: DeviceID? = nil,
        count: Int = 1
    ) {
        let newest = tables.scan(AuditRow.self, limit: 1).first
        let number = newest.map { AuditRow.number(of: $0.key) + 1 } ?? 1
        tables.put(AuditRow(number, envelope, what, person: person, gateway: gateway, device: device, count: count))
        if number > GatewayLimits.auditRows {
            tables.remove(AuditRow.self, AuditRow.key(number - GatewayLimits.auditRows))
        }
    }
}
