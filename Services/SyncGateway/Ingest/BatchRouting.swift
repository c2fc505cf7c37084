import Crypto
import EventSourcing
import EventStore
import JSON
import Vault
import Vocabulary

/// Stores the slots that each batch of adverts was divided among, so that a repeated batch is divided in the same way,
/// even after a restart.
///
/// A ring buffer of `GatewayLimits.batches` records in the vault: a new batch overwrites the oldest.
struct BatchRouting {
    private static let kind = "batch"

    private struct Entry: JSONReadable, JSONWritable {
        let batch: String
        let number: Int
        let slots: [Int]

        init(batch: String, number: Int, slots: [Int]) {
            self.batch = batch
            self.number = number
            self.slots = slots
        }

        init(json: borrowing JSONValue) throws(JSONError) {
            batch = try json.get("batch")
            number = try json.get("number")
            slots = try json.get("slots")
            guard number >= 0, !slots.isEmpty else { throw json.error("expected a division") }
        }

        func write(to json: inout JSONWriter) {
            json.object { json in
                json.field("batch", batch)
                json.field("number", number)
                json.field("slots", slots)
            }
        }
    }

    private let vault: Vault
    private var entries: [String: Entry] = [:]
    /// The batch that each record of the ring buffer holds.
    private var ring: [String?]
    private var next = 0

    init(_ vault: Vault) throws(VaultError) {
        self.vault = vault
        ring = Array(repeating: nil, count: GatewayLimits.batches)
        for record in try vault.all(kind: Self.kind) {
            let entry: Entry
            do throws(JSONError) {
                entry = try Entry(json: JSONValue.parse(record.fields))
            } catch {
                throw .unreadable
            }
            entries[entry.batch] = entry
            ring[entry.number % GatewayLimits.batches] = entry.batch
            next = max(next, entry.number + 1)
        }
    }

    /// The slots of the newest batch; empty before the first batch.
    var latest: [Int] {
        guard next > 0, let batch = ring[(next - 1) % GatewayLimits.batches], let entry = entries[batch] else {
            return []
        }
        return entry.slots
    }

    /// Returns the slots that this batch was divided among. A new batch is stored with `live` as its slots.
    mutating func slots(of actor: Actor, _ key: String, live: [Int]) throws(VaultError) -> [Int] {
        let batch = Hex.encode(SHA256.hash(Array("\(actor)|\(key)".utf8)))
        if let known = entries[batch] { return known.slots }
        let entry = Entry(batch: batch, number: next, slots: live)
        let place = next % GatewayLimits.batches
        var json = JSONWriter()
        entry.write(to: &json)
        try vault.put(kind: Self.kind, id: Self.id(place), fields: json.bytes)
        if let old = ring[place] { entries[old] = nil }
        ring[place] = batch
        entries[batch] = entry
        next += 1
        return live
    }

    private static func id(_ place: Int) -> String {
        String(String(10_000 + place).dropFirst())
    }
}
