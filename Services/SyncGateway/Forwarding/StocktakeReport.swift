import JSON
import Printing
import Vault
import Vocabulary
import Wire

/// The text of a stocktake's report, from the ledger's JSON.
struct StocktakeReport: Sendable {
    /// The stocktake, without its lines.
    struct Head: JSONReadable, Sendable {
        let title: String
        let started: Instant
        let finished: Instant?
        let digest: String?
        /// The name of the farm's time zone; nil if there are several farms.
        let zone: String?
        /// The names of places that people read, by `store/…` or `plot/…`.
        let places: [String: String]

        init(json: borrowing JSONValue) throws(JSONError) {
            title = try json.get("title")
            started = try json.get("started")
            finished = try json.find("finished")
            digest = try json.find("digest")
            zone = try json.find("zone")
            let named = try json.find("places", as: [NamedPlace].self) ?? []
            places = Dictionary(named.map { ($0.place, $0.title) }, uniquingKeysWith: { first, _ in first })
        }
    }

    /// A plot or store with its name.
    private struct NamedPlace: JSONReadable {
        let place: String
        let title: String

        init(json: borrowing JSONValue) throws(JSONError) {
            place = try json.get("place")
            title = try json.get("title")
        }
    }

    /// One line of the report.
    struct Line: JSONReadable, Sendable {
        let title: String
        let state: String
        let place: String?
        let code: String?
        let beacon: String?
        let value: Money?
        let picture: String?
        let seen: Seen?
        let decision: Decision?

        /// The sightings of a thing, summed up.
        struct Seen: JSONReadable, Sendable {
            let times: Int
            let last: Instant
            let people: [String]

            init(json: borrowing JSONValue) throws(JSONError) {
                times = try json.get("times")
                last = try json.get("last")
                people = try json.get("people")
            }
        }

        /// A person's decision about a difference.
        struct Decision: JSONReadable, Sendable {
            let state: String
            let reason: String?

            init(json: borrowing JSONValue) throws(JSONError) {
                state = try json.get("as")
                reason = try json.find("reason")
            }
        }

        init(json: borrowing JSONValue) throws(JSONError) {
            let named: String? = try json.find("title")
            if let named { title = named } else { title = try json.get("thing") }
            state = try json.get("state")
            place = try json.find("place")
            code = try json.find("code")
            beacon = try json.find("beacon")
            value = try json.find("value")
            picture = try json.find("picture")
            seen = try json.find("seen")
            decision = try json.find("resolved")
        }
    }

    private let head: Head
    private let lines: [Line]
    private let zone: Zone
    /// The zone's name as people read it.
    private let zoneName: String
    private let words: MessageTexts

    /// - Parameter zone: reads the time zone of a name; times are in UTC without it.
    init(
        head: Head, lines: [String], in words: MessageTexts = .english, zone: (String) -> Zone?
    ) throws(Problem) {
        self.head = head
        self.words = words
        let local = head.zone.flatMap { name in zone(name).map { (zone: $0, name: name) } }
        self.zone = local?.zone ?? .utc
        zoneName = (local?.name ?? "UTC").replacing("_", with: " ")
        var read: [Line] = []
        for text in lines { read.append(try RequestBody(Array(text.utf8)).json.reading()) }
        self.lines = read
    }

    /// Returns the report.
    ///
    /// - Parameter picture: returns the bytes of a picture, nil if there are none. Pictures beyond
    ///   `GatewayLimits.reportPictureBytes` are left out, which the report states.
    func report(_ picture: (String) -> [UInt8]?) -> Report {
        var room = GatewayLimits.reportPictureBytes
        var missing = 0
        let groups = Self.states.map { state in
            let rows = lines.filter { $0.state == state }.sorted {
                ($0.title, $0.code ?? "") < ($1.title, $1.code ?? "")
            }
            return Report.Group(
                title: heading(of: state),
                rows: rows.map { line in
                    var row = row(line)
                    guard let name = line.picture else { return row }
                    if let bytes = picture(name), bytes.count <= room, let image = PrintablePicture(bytes) {
                        room -= bytes.count
                        row.picture = image
                    } else {
                        missing += 1
                    }
                    return row
                })
        }
        return Report(
            title: Self.printable(head.title), lines: summary(missing), groups: groups, page: words("Page {0}"))
    }

    /// Returns the bytes of a picture; nil if it is not stored or cannot be read.
    static func picture(_ name: String, in media: Media) -> [UInt8]? {
        do {
            return try media.get(name)
        } catch {
            return nil
        }
    }

    var title: String { head.title }

    /// The summary as text, for an e-mail.
    var plain: String { ([head.title, ""] + summary(0)).joined(separator: "\n") + "\n" }

    private static let states = ["missing", "doubled", "unexpected", "found", "removed"]

    private func heading(of state: String) -> String {
        switch state {
        case "missing": words("Missing")
        case "doubled": words("Seen at several places")
        case "unexpected": words("Unexpected")
        case "found": words("Found")
        default: words("Removed during the count")
        }
    }

    private func summary(_ missing: Int) -> [String] {
        var summary = [
            [
                words("Started {0}.", text(head.started)),
                head.finished.map { words("Finished {0}.", text($0)) }
                    ?? words("Not finished: this is how it stands now."),
                words("Times of {0}.", zoneName),
            ].joined(separator: " ")
        ]
        let items = lines.filter { ["found", "doubled", "missing"].contains($0.state) }
        let found = items.count { $0.state != "missing" }
        summary.append(
            words(
                "{0} of {1} items found, {2} missing, {3} unexpected.", found, items.count, items.count - found,
                lines.count { $0.state == "unexpected" }))
        if let value = Money.sum(items.compactMap { $0.state == "missing" ? nil : $0.value }) {
            summary.append(words("Value of what was found: {0}.", value))
        }
        if let value = Money.sum(items.compactMap { $0.state == "missing" ? $0.value : nil }) {
            summary.append(words("Value of what is missing: {0}.", value))
        }
        if let digest = head.digest {
            summary.append(words("SHA-256 of the report's lines in the farm's log: {0}", digest))
        }
        if missing > 0 {
            summary.append(
                words(
                    "{0} pictures are left out: they are not stored, no JPEG or PNG, or exceed {1} MiB together.",
                    missing, GatewayLimits.reportPictureBytes >> 20))
        }
        return summary
    }

    private func row(_ line: Line) -> Report.Row {
        let names = [
            line.code.map { words("Code {0}", $0) }, line.beacon.map { words("Beacon {0}", $0) },
            line.place.map { head.places[$0] ?? $0 },
        ]
        .compactMap(\.self)
        var lines = names.isEmpty ? [] : [names.joined(separator: " · ")]
        if let seen = line.seen {
            let times = seen.times == 1 ? words("once") : words("{0} times", seen.times)
            let count = seen.people.count
            let people = count == 1 ? words("one person") : words("{0} people", count)
            lines.append(words("Seen {0} by {1}, last {2}", times, people, text(seen.last)))
        }
        if let decision = line.decision {
            lines.append(words("Decided: {0}", words(decision.state)) + (decision.reason.map { ". \($0)" } ?? ""))
        }
        return Report.Row(
            title: Self.printable(line.title), note: line.value?.description, lines: lines.map(Self.printable))
    }

    /// Returns a time for people, to the minute.
    private func text(_ time: Instant) -> String {
        let local = Instant(microseconds: zone.local(of: time) * 1_000_000)
        return String(local.description.prefix(16)).replacing("T", with: " ")
    }

    private static func printable(_ text: String) -> String {
        let plain = text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }
        return String(String(String.UnicodeScalarView(plain)).prefix(PrintLimits.lineCharacters))
    }
}
