import Crypto
import Glibc
import HTTP
import Imaging
import JSON
import System
import Vocabulary

/// The tool shed of the simulated farm: tools with Bluetooth tags along a shelf.
enum FakeShed {
    static let tools = [
        "Chainsaw", "Scythe", "Wheelbarrow", "Broadfork", "Wire cutter", "Axe", "Bow saw", "Hedge shears", "Loppers",
        "Pruning knife", "Seed drill", "Wheel hoe", "Rake", "Spade", "Digging fork", "Hand trowel", "Dibber",
        "Hose reel", "Sprayer", "Watering can", "Ladder", "Post driver", "Fencing pliers", "Drill", "Grinder",
        "Socket set", "Level", "Tape measure", "Scales", "First-aid box",
    ]
    /// The tools whose tags are not on the shelf: a stocktake misses them.
    static let missing: Set<Int> = [7, 22]
    /// Metres between two tags, and from the shelf to the reader that is carried along it.
    static let spacing = 0.3
    static let aside = 0.3
    static let uuid = "f7826da64fa24e988024bc5b71e0893e"
    static let power = -59

    static func beacon(_ number: Int) -> String {
        "ibeacon:f7826da6-4fa2-4e98-8024-bc5b71e0893e:1:\(number + 1)"
    }

    /// Returns an advertisement of a tag as JSON, as the reader receives it at `metres`; nil beyond its range.
    static func advert(_ number: Int, at metres: Double) -> String? {
        let level = Double(power) - 10 * (metres < 1 ? 2 : 2.7) * log10(metres)
        let rssi = Int((level + Double.random(in: -3...3) + Double.random(in: -3...3)).rounded())
        guard metres <= 2 else { return nil }
        let minor = Hex.encode([UInt8((number + 1) >> 8), UInt8(truncatingIfNeeded: number + 1)])
        let address = "c4:00:00:00:00:" + Hex.encode([UInt8(truncatingIfNeeded: number + 1)])
        let data = "0201061aff4c000215\(uuid)0001\(minor)" + Hex.encode([UInt8(bitPattern: Int8(power))])
        return #"{"address":"\#(address)","hex":"\#(data)","rssi":\#(rssi)}"#
    }
}

extension FakePeople {
    /// Creates the inventory of the shed, with 30 tools on a plan.
    func fillShed() throws {
        let plan = try upload(WebPEncoder.encode(FakeShedPlan.picture(), side: 900, quality: 90))
        try send("PUT", "/v1/inventories/tools", #"{"title":"Tool shed","plan":"\#(plan)"}"#)
        for (number, tool) in FakeShed.tools.enumerated() {
            let value = #"{"minor":\#(1900 + number * 700),"currency":"USD"}"#
            let spot = FakeShedPlan.spot(number)
            try send(
                "PUT", "/v1/items/tool-\(number + 1)",
                #"{"inventory":"tools","title":"\#(tool)","beacon":"\#(FakeShed.beacon(number))","value":\#(value),"#
                    + #""code":"T-\#(number + 1)","spot":{"x":\#(spot.x),"y":\#(spot.y)}}"#)
        }
    }

    /// Stores a picture in WebP. Returns its SHA-256.
    private func upload(_ picture: [UInt8]) throws -> String {
        let headers =
            authorised + [
                ("Idempotency-Key", Hex.encode(Random.bytes(16))), ("Content-Type", "application/octet-stream"),
            ]
        let response = try client.send(
            "POST", url + "/v1/media", headers: headers, body: picture, timeoutSeconds: 10)
        guard (200...299).contains(response.status) else { throw Refusal("/v1/media: \(response.status)") }
        return try JSONValue.parse(response.body).get("sha256")
    }

    /// Returns whether a stocktake of the tools is open.
    func hasOpenStocktake() throws -> Bool {
        let answer = try JSONValue.parse(attempt("GET", "/v1/stocktakes?inventory=tools"))
        return answer["items"]?.array.map { $0.contains { $0["finished"] == nil } } ?? false
    }
}

/// The Bluetooth reader of the shed. It lies at the beginning of the shelf, and is carried along it while a stocktake
/// is open.
final class FakeReader {
    private let people: FakePeople
    private var sent: Instant?
    private var looked: Instant?
    private var isCarried = false
    private var metres = 0.0
    private var step = 0.3

    /// Seconds between two batches, between two looks for an open stocktake, and after an error.
    private static let batchSeconds = 0.25
    private static let lookSeconds = 2.0
    private static let errorSeconds = 10.0

    init(_ people: FakePeople) {
        self.people = people
    }

    /// Sends what the reader receives, if that is due. Errors are ignored: the farm may have no shed, or be stopping.
    func tend(at now: Instant) {
        if let sent, (0..<Self.batchSeconds).contains(now.seconds(since: sent)) { return }
        let seconds = sent.map { min(1, max(0, now.seconds(since: $0))) } ?? 0
        sent = now
        do {
            if looked.map({ abs(now.seconds(since: $0)) >= Self.lookSeconds }) ?? true {
                looked = now
                isCarried = try people.hasOpenStocktake()
            }
            if isCarried { move(seconds) } else { metres = 0 }
            let adverts = FakeShed.tools.indices.filter { !FakeShed.missing.contains($0) }.compactMap { number in
                FakeShed.advert(number, at: hypot(Double(number) * FakeShed.spacing - metres, FakeShed.aside))
            }
            _ = try people.attempt(
                "POST", "/v1/adverts", #"{"source":"shed-reader","adverts":[\#(adverts.joined(separator: ","))]}"#)
        } catch {
            sent = now.advanced(bySeconds: Self.errorSeconds)
        }
    }

    private func move(_ seconds: Double) {
        metres += step * seconds
        let end = Double(FakeShed.tools.count - 1) * FakeShed.spacing
        if metres > end || metres < 0 { step = -step }
        metres = min(max(metres, 0), end)
    }
}
