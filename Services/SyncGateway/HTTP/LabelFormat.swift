import Crypto
import JSON
import Printing
import Vocabulary
import Wire

/// The file formats of labels.
enum LabelFormat: String, Sendable {
    case svg
    case png
    case pdf

    var type: String {
        switch self {
        case .svg: "image/svg+xml"
        case .png: "image/png"
        case .pdf: "application/pdf"
        }
    }
}

/// The labels of a lot, as the ledger returns them.
struct LabelSheet: JSONReadable, Sendable {
    struct Box: JSONReadable, Sendable {
        let serial: String
        let url: String
        let index: Int
        let of: Int
        let grams: Int

        init(json: borrowing JSONValue) throws(JSONError) {
            serial = try json.get("serial")
            url = try json.get("url")
            index = try json.get("index")
            of = try json.get("of")
            grams = try json.get("grams")
        }
    }

    let lot: String
    let product: String
    let farm: String
    let harvestDay: String?
    var boxes: [Box]

    init(json: borrowing JSONValue) throws(JSONError) {
        lot = try json.get("lot")
        product = try json.get("product")
        farm = try json.get("farm")
        harvestDay = try json.find("harvestDay")
        boxes = try json.get("labels")
    }

    /// Returns a sheet with only the label of that serial, or the first label if `serial` is nil. Throws if there is
    /// none.
    func one(_ serial: String?) throws(Problem) -> LabelSheet {
        var copy = self
        guard let box = serial == nil ? boxes.first : boxes.first(where: { $0.serial == serial }) else {
            throw Problem(404, "no-label", "Lot \(lot) has no such box.")
        }
        copy.boxes = [box]
        return copy
    }

    func draw(as format: LabelFormat) throws(PrintError) -> [UInt8] {
        let labels = boxes.map(label)
        guard let first = labels.first else { throw .emptyText }
        return switch format {
        case .svg: try LabelArtwork.svg(first)
        case .png: try LabelArtwork.png(first)
        case .pdf: try LabelArtwork.pdfSheet(labels)
        }
    }

    private func label(_ box: Box) -> Label {
        Label(url: box.url, title: Self.printable(product), lines: lines(box).map(Self.printable))
    }

    func lines(_ box: Box) -> [String] {
        var lines = ["Lot \(lot)", "Box \(box.index) of \(box.of) · \(Self.weight(box.grams))"]
        if let harvestDay { lines.append("Harvested \(harvestDay)") }
        lines.append(farm)
        return lines
    }

    private static func weight(_ grams: Int) -> String {
        guard grams >= 1000 else { return "\(grams) g" }
        var digits = String(1000 + grams % 1000).dropFirst()
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(grams / 1000)" + (digits.isEmpty ? "" : ".\(digits)") + " kg"
    }

    private static func printable(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.properties.generalCategory != .control }))
            .prefixed(PrintLimits.lineCharacters)
    }
}

extension String {
    fileprivate func prefixed(_ characters: Int) -> String { String(prefix(characters)) }
}
