import Crypto
import Events
import JSON
import Vocabulary

/// What a stocktake has found so far: a pure function of the items, and of the sets of sightings and decisions.
///
/// The result does not depend on the order of uploads, and an upload that is repeated changes nothing. People can
/// therefore count at the same time and without a network. A count that adds differences would not have that property.
struct StocktakeTally {
    /// How an item or a thing stands.
    enum State: String, CaseIterable {
        case found
        case missing
        /// Seen at several places: there may be two of it, or one was carried around.
        case doubled
        /// No item of the inventory.
        case unexpected
        /// Removed from the inventory since the start.
        case removed
    }

    /// One line of the report.
    struct Line {
        let thing: String
        let title: String
        /// The state, with the decision of a person.
        let state: State
        /// Whether somebody has to decide before the stocktake is finished.
        let isUnresolved: Bool
        /// The line as JSON: what the report and its digest consist of.
        let text: String
    }

    /// The lines of items by their names, then those of unexpected things.
    let lines: [Line]

    /// - Parameters:
    ///   - items: those of the inventory, removed ones included.
    ///   - sightings: those that are not late.
    ///   - resolutions: by thing.
    ///   - started: the start of the stocktake.
    init(_ items: [ItemRow], _ sightings: [SightingRow], _ resolutions: [String: ResolutionRow], started: Instant) {
        var names: [String: String] = [:]
        for item in items where item.removed.map({ $0 >= started }) ?? true {
            names["item/\(item.key)"] = item.key
            if let beacon = item.beacon { names["beacon/\(beacon)"] = item.key }
            if let code = item.code { names["code/\(code)"] = item.key }
        }
        var seen: [String: [SightingRow]] = [:]
        var unexpected: [String: [SightingRow]] = [:]
        for row in sightings {
            if let item = names[row.sighting.thing] {
                seen[item, default: []].append(row)
            } else {
                unexpected[row.sighting.thing, default: []].append(row)
            }
        }
        let present = items.filter { $0.removed.map { $0 >= started } ?? true }.sorted { $0.key < $1.key }
        lines =
            present.map { item in
                Self.line(item, Sum(seen[item.key] ?? []), resolutions["item/\(item.key)"], since: started)
            }
            + unexpected.sorted { $0.key < $1.key }.map { thing, rows in
                Self.line(thing, Sum(rows), resolutions[thing])
            }
    }

    /// The number of items that are there, at one place or at several.
    var found: Int { count(.found) + count(.doubled) }

    func count(_ state: State) -> Int { lines.count { $0.state == state } }

    var unresolved: Int { lines.count(where: \.isUnresolved) }

    /// SHA-256 over the lines, each followed by a line feed, in hex.
    var digest: String {
        Hex.encode(SHA256.hash(lines.flatMap { Array($0.text.utf8) + [0x0A] }))
    }

    private static func line(
        _ item: ItemRow, _ sum: Sum, _ resolution: ResolutionRow?, since started: Instant
    ) -> Line {
        let counted: State =
            item.removed != nil ? .removed : sum.count == 0 ? .missing : sum.places.count > 1 ? .doubled : .found
        let isDifference = counted == .missing || counted == .doubled
        // A decision on a difference that later sightings have removed no longer applies.
        let resolution = isDifference ? resolution : nil
        let state: State =
            switch resolution?.resolution {
            case .present: .found
            case .missing: .missing
            case .ignored, nil: counted
            }
        var json = JSONWriter()
        json.object { json in
            json.field("item", item.key)
            json.field("title", item.title)
            json.field("state", state.rawValue)
            json.field("place", ifPresent: item.place)
            json.field("beacon", ifPresent: item.beacon)
            json.field("code", ifPresent: item.code)
            json.field("value", ifPresent: item.value)
            json.field("picture", ifPresent: item.picture)
            json.field("spot", ifPresent: item.spot)
            // What was moved or changed during the count is shown, and never undone by it.
            json.field("changed", ifPresent: item.changed > started ? item.changed : nil)
            json.field("removed", ifPresent: item.removed)
            sum.write(to: &json)
            write(resolution, to: &json)
        }
        return Line(
            thing: "item/\(item.key)", title: item.title, state: state,
            isUnresolved: isDifference && resolution == nil, text: json.text)
    }

    private static func line(_ thing: String, _ sum: Sum, _ resolution: ResolutionRow?) -> Line {
        var json = JSONWriter()
        json.object { json in
            json.field("thing", thing)
            json.field("state", State.unexpected.rawValue)
            sum.write(to: &json)
            write(resolution, to: &json)
        }
        return Line(
            thing: thing, title: thing, state: .unexpected, isUnresolved: resolution == nil, text: json.text)
    }

    private static func write(_ resolution: ResolutionRow?, to json: inout JSONWriter) {
        guard let resolution else { return }
        json.field(
            "resolved",
            object: { json in
                json.field("as", resolution.resolution)
                json.field("by", resolution.by)
                json.field("at", resolution.at)
                json.field("reason", ifPresent: resolution.reason)
            })
    }
}

extension StocktakeTally {
    /// The sightings of one item or thing, summed up.
    private struct Sum {
        let count: Int
        let places: [String]
        private let people: [String]
        private let how: [String]
        private let first: Instant?
        private let last: Instant?

        init(_ rows: [SightingRow]) {
            count = rows.count
            places = Set(rows.compactMap { $0.sighting.place?.description }).sorted()
            people = Set(rows.map(\.by)).sorted()
            how = Set(rows.map(\.sighting.how.rawValue)).sorted()
            first = rows.map(\.sighting.at).min()
            last = rows.map(\.sighting.at).max()
        }

        func write(to json: inout JSONWriter) {
            guard let first, let last else { return }
            json.field(
                "seen",
                object: { json in
                    json.field("times", count)
                    json.field("first", first)
                    json.field("last", last)
                    json.field("people", people)
                    json.field("how", how)
                    json.field("places", places)
                })
        }
    }
}
