import JSON
import Vocabulary
import Wire

/// The advertisements in a body that a Bluetooth gateway of another make posts.
///
/// These gateways name no form of their bodies, so it is recognised by the members.
/// Sources: Ruuvi Gateway, "HTTP: time-stamped data from Bluetooth sensors" (ruuvi/docs); Minew gateways, format
/// JSON-RAW; OpenMQTTGateway, "BLE gateway", with `pubadvdata`.
enum UplinkBody {
    /// One advertisement as `POST /v1/adverts` takes it.
    struct Advert: Equatable, JSONWritable {
        /// Six bytes in hexadecimal, with colons or without.
        let address: String
        /// The advertising data in hexadecimal.
        let hex: String
        /// dBm.
        let rssi: Int64?
        /// The time of reception; nil if the gateway's clock is not set.
        let at: Instant?

        func write(to json: inout JSONWriter) {
            json.object { json in
                json.field("address", address)
                json.field("hex", hex)
                json.field("rssi", ifPresent: rssi)
                json.field("at", ifPresent: at)
            }
        }
    }

    /// Returns the body of `POST /v1/adverts` with the same advertisements.
    ///
    /// Throws a `Problem` with the status 422 for a form of body that is not known, and 400 for a member that is
    /// malformed.
    static func adverts(in body: [UInt8]) throws(Problem) -> [UInt8] {
        let adverts = try read(body)
        var json = JSONWriter(reserving: 64 + 160 * adverts.count)
        json.object { json in
            json.field(
                "adverts",
                array: { json in
                    for advert in adverts { json.element(advert) }
                })
        }
        return json.bytes
    }

    /// Returns the advertisements in their order. Throws as `adverts(in:)` does.
    static func read(_ body: [UInt8]) throws(Problem) -> [Advert] {
        do throws(JSONError) {
            let json = try JSONValue.parse(body)
            if let tags = json["data"]?["tags"] { return try ruuvi(tags) }
            if let entries = json.array {
                let isOpenMQTT = entries.contains { $0["id"] != nil && $0["mac"] == nil }
                return isOpenMQTT ? try entries.enumerated().map(openMQTT) : try minew(entries)
            }
            if json["id"] != nil { return [try openMQTT(0, json)] }
        } catch {
            throw .malformed(error)
        }
        throw Problem(
            422, "unknown-body",
            "This body is of no known form. Known are Ruuvi Gateway ({\"data\":{\"tags\":{…}}}), Minew JSON-RAW "
                + "([{\"mac\":…,\"rawData\":…}]) and OpenMQTTGateway ({\"id\":…,\"servicedata\":…}); for others send "
                + "POST /v1/adverts.")
    }

    /// `{"C6:A5:B9:E0:AD:06": {"rssi": -71, "timestamp": "1653633986", "data": "0201…"}}`
    private static func ruuvi(_ tags: JSONValue) throws(JSONError) -> [Advert] {
        guard let tags = tags.object else { throw JSONError(message: "expected an object", path: "data/tags") }
        var adverts: [Advert] = []
        for (address, tag) in tags {
            adverts.append(
                Advert(
                    address: address, hex: try tag.get("data"), rssi: try tag.find("rssi"), at: try received(tag)))
        }
        return adverts
    }

    /// `[{"timestamp": "2026-05-01T10:00:00Z", "mac": "AC233F5BB8DC", "rssi": -43, "rawData": "0201…"}]`; an entry
    /// without `rawData` describes the gateway.
    private static func minew(_ entries: JSONArray) throws(JSONError) -> [Advert] {
        var adverts: [Advert] = []
        for (index, entry) in entries.enumerated() {
            guard entry.object != nil else { throw JSONError(message: "expected an object", path: "\(index)") }
            guard let hex = try entry.find("rawData", as: String.self), !hex.isEmpty else {
                try checkValues(entry, index)
                continue
            }
            adverts.append(
                Advert(
                    address: try entry.get("mac"), hex: hex, rssi: try entry.find("rssi"), at: try received(entry)))
        }
        return adverts
    }

    /// `{"id": "A4:C1:38:00:00:01", "rssi": -60, "servicedata": "40…", "servicedatauuid": "0xfcd2"}`, or with
    /// `manufacturerdata`.
    private static func openMQTT(_ index: Int, _ entry: JSONValue) throws(JSONError) -> Advert {
        guard entry.object != nil else { throw JSONError(message: "expected an object", path: "\(index)") }
        var hex = ""
        if let maker = try entry.find("manufacturerdata", as: String.self) { hex += structure("ff", maker) }
        if let service = try entry.find("servicedata", as: String.self),
            let uuid = shortUUID(try entry.get("servicedatauuid"))
        {
            hex += structure("16", uuid + service)
        }
        guard !hex.isEmpty else {
            throw JSONError(
                message: "is missing; switch the gateway's option pubadvdata on", path: "\(index)/servicedata")
        }
        return Advert(
            address: try entry.get("id"), hex: hex, rssi: try entry.find("rssi"), at: try received(entry, "unixtime"))
    }

    /// Returns an AD structure in hexadecimal: its length, its type, its data.
    private static func structure(_ type: String, _ data: String) -> String {
        Hex.encode([UInt8(clamping: data.utf8.count / 2 + 1)]) + type + data
    }

    /// Returns a UUID of 16 bits, such as `0xfcd2`, with its low byte first; nil for any other.
    private static func shortUUID(_ text: String) -> String? {
        let digits = text.hasPrefix("0x") ? text.dropFirst(2) : text[...]
        return digits.utf8.count == 4 ? String(digits.suffix(2) + digits.prefix(2)) : nil
    }

    /// Throws for an entry that the gateway has decoded itself: its values would be dropped.
    private static func checkValues(_ entry: JSONValue, _ index: Int) throws(JSONError) {
        guard try entry.find("type", as: String.self) == "Gateway" else {
            throw JSONError(
                message: "is missing; choose the format JSON-RAW on the gateway's page", path: "\(index)/rawData")
        }
    }

    /// Returns the time of reception in a member: RFC 3339, or seconds or milliseconds since 1970 as a number or as
    /// text. Returns nil if there is none, or if the gateway's clock was not set. Throws for anything else.
    private static func received(
        _ entry: JSONValue, _ member: String = "timestamp"
    ) throws(JSONError) -> Instant? {
        guard let timestamp = entry[member], !timestamp.isNull else { return nil }
        let time: Instant?
        if timestamp.kind == .string {
            let text = try timestamp.string()
            time = Instant(text) ?? Double(text).flatMap(Instant.init(secondsOrMilliseconds:))
            guard time != nil || text.isEmpty else {
                throw JSONError(message: "expected a time as in RFC 3339, or seconds since 1970", path: member)
            }
        } else {
            time = Instant(secondsOrMilliseconds: try timestamp.double())
        }
        return time.flatMap { $0.isOfSetClock ? $0 : nil }
    }
}
