import EventSourcing
import Events
import JSON
import Vocabulary

/// The current state of a lot. The key is the lot.
struct LotRow: TableRow {
    static let schema = TableSchema(
        "lot",
        [
            ("gtin", .text), ("product", .text), ("plot", .text), ("farm", .text), ("grown_from", .integer),
            ("harvested", .integer), ("parent", .text), ("grams", .integer), ("remaining", .integer),
            ("boxes", .integer), ("place", .text), ("handed_to", .text), ("printed", .integer),
            ("steps", .integer), ("inherited", .integer), ("recalled", .text), ("holds", .text), ("safety", .text),
            ("safety_since", .integer), ("offered", .integer), ("split_off", .integer),
        ], indexed: ["place", "parent", "safety"], version: 2)

    let key: String
    var farm: FarmID
    var state: Lot.State
    var isPrinted: Bool { labelled > 0 }
    /// The number of boxes with printed labels, the first ones.
    var labelled = 0
    /// Whether it was ever offered for sale.
    var isOffered = false
    /// Whether buyers may read its story without a label: it was labelled, offered for sale or handed over.
    var isPublic: Bool {
        LotRules.isPublic(isPrinted: isPrinted, isOffered: isOffered, handedTo: state.handedTo)
    }
    /// The number of the lot's own steps, and of its parent's steps that are part of its history.
    var steps = 0
    var inherited = 0
    /// The time at which it was last held, released or recalled.
    var safetySince: Instant?

    init(_ lot: LotID, farm: FarmID, state: Lot.State) {
        key = lot.rawValue
        self.farm = farm
        self.state = state
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        let gtin = try cells.text(GTIN.init)
        let product = try cells.text()
        let plot = PlotID(try cells.text())
        farm = FarmID(try cells.text())
        let from = Instant(microseconds: try cells.integer())
        state = Lot.State()
        state.harvestedAt = Instant(microseconds: try cells.integer())
        state.parent = try cells.optionalText().map { LotID($0) }
        state.grams = try cells.int()
        state.left = try cells.int()
        state.boxes = try cells.int()
        state.place = try cells.optionalText().flatMap { Place($0) }
        state.handedTo = try cells.optionalText()
        labelled = try cells.int()
        steps = try cells.int()
        inherited = try cells.int()
        state.recalled = try cells.optionalText()
        let holds = try cells.text()
        do {
            state.holds = try [Hold](json: JSONValue.parse(holds))
        } catch {
            throw RowDecodingError(table: Self.schema.name, key: key)
        }
        _ = try cells.text()
        safetySince = try cells.optionalInteger().map { Instant(microseconds: $0) }
        isOffered = try cells.flag()
        state.splitOff = try cells.int()
        state.harvest = Harvested(
            lot: LotID(key), gtin: gtin, product: product, plot: plot, grams: state.grams, from: from)
    }

    var cells: [Cell] {
        [
            Cell(state.harvest?.gtin.digits ?? ""), Cell(state.harvest?.product ?? ""),
            Cell(state.harvest?.plot.rawValue ?? ""), .text(farm.rawValue),
            .integer(state.harvest?.from.microseconds ?? 0), .integer(state.harvestedAt?.microseconds ?? 0),
            Cell(state.parent?.rawValue), .integer(Int64(state.grams)), .integer(Int64(state.left)),
            .integer(Int64(state.boxes)), Cell(state.place?.description), Cell(state.handedTo),
            .integer(Int64(labelled)),
            .integer(Int64(steps)), .integer(Int64(inherited)), Cell(state.recalled),
            .text(Self.text(state.holds)), .text(state.safety.rawValue), Cell(safetySince?.microseconds),
            Cell(isOffered), .integer(Int64(state.splitOff)),
        ]
    }
}

extension LotRow {
    private static func text(_ holds: [Hold]) -> String {
        var json = JSONWriter()
        holds.write(to: &json)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

/// One box of a lot. The key is `<lot>|<serial>`.
struct BoxRow: TableRow {
    static let schema = TableSchema(
        "box", [("number", .integer), ("grams", .integer), ("serial", .text)], indexed: ["serial"], version: 2)

    let key: String
    let number: Int
    let grams: Int

    init(lot: LotID, serial: String, number: Int, grams: Int) {
        key = "\(lot)|\(serial)"
        self.number = number
        self.grams = grams
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        number = try cells.int()
        grams = try cells.int()
        guard try cells.text() == serial else { throw RowDecodingError(table: Self.schema.name, key: key) }
    }

    var cells: [Cell] { [.integer(Int64(number)), .integer(Int64(grams)), .text(serial)] }
    var lot: String { String(key.prefix { $0 != "|" }) }
    var serial: String { String(key.drop { $0 != "|" }.dropFirst()) }
}

/// One step in the history of a lot. The key is `<lot>|<running number>`.
struct CustodyRow: TableRow {
    static let schema = TableSchema(
        "custody",
        [
            ("what", .text), ("at", .integer), ("place", .text), ("partner", .text), ("grams", .integer),
            ("boxes", .integer),
        ], version: 3)

    let key: String
    let step: CustodyStep
    let at: Instant
    var place: Place?
    /// The recipient; for steps with a reason, the reason.
    var partner: String?
    var grams: Int?
    var boxes: Int?

    init(lot: LotID, number: Int, _ step: CustodyStep, at: Instant) {
        let digits = String(number)
        key = "\(lot)|" + String(repeating: "0", count: max(0, 6 - digits.utf8.count)) + digits
        self.step = step
        self.at = at
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        step = try cells.text(CustodyStep.init(rawValue:))
        at = Instant(microseconds: try cells.integer())
        place = try cells.optionalText().flatMap { Place($0) }
        partner = try cells.optionalText()
        grams = try cells.optionalInteger().map { Int($0) }
        boxes = try cells.optionalInteger().map { Int($0) }
    }

    var cells: [Cell] {
        [
            .text(step.rawValue), .integer(at.microseconds), Cell(place?.description), Cell(partner),
            Cell(grams.map(Int64.init)), Cell(boxes.map(Int64.init)),
        ]
    }
}

extension CustodyStep {
    /// Whether `partner` of its row contains a reason instead of a name.
    var hasReason: Bool {
        switch self {
        case .corrected, .recalled, .held, .released, .holdLifted: true
        case .harvested, .split, .packed, .stored, .handedOver: false
        }
    }
}
