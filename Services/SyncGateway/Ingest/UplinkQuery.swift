import Events
import JSON
import Vocabulary
import Wire

/// The values in the address that a device requests: sensors of Shelly can do nothing else.
///
/// First generation, "Report sensor values": `?hum=55&temp=21.3&id=shellyht-6d0a12`. Later generations call an address
/// with tokens in it: `?id=cold-store&temp=${ev.tC}`.
/// Source: Shelly's API references, "Shelly H&T", "Shelly Flood", "Shelly Door/Window 2" and "Webhook".
enum UplinkQuery {
    /// The parameters, and how a value is read. Others, such as a reason, are ignored.
    static let parameters: Shape = [
        "id": .name, "temp?": number, "hum?": number, "lux?": number, "flood?": state, "state?": door,
        "batV?": number, "bat?": number,
    ]
    private static let number = APISchema.between(-1e9...1e9)
    private static let state = APISchema.words(["0", "1"])
    private static let door = APISchema.words(["open", "close"])

    /// Returns the body of `POST /v1/values` with the same values. Throws if there is none.
    ///
    /// - Parameter parameter: Returns the text of a parameter that was checked against its schema.
    static func values(_ parameter: (String) -> String?) throws(Problem) -> [UInt8] {
        var values: [(quantity: Quantity, value: Double)] = []
        for (name, quantity) in [
            ("temp", Quantity.temperature), ("hum", .humidity), ("lux", .illuminance), ("flood", .leak),
            ("batV", .voltage), ("bat", .battery),
        ] {
            if let value = parameter(name).flatMap(Double.init) { values.append((quantity, value)) }
        }
        if let state = parameter("state") { values.append((.contact, state == "open" ? 1 : 0)) }
        guard !values.isEmpty else {
            throw Problem(
                422, "no-values",
                "This address has no values. Known are temp (°C), hum, lux, flood, state, batV and bat: "
                    + "?id=NAME&temp=21.3&hum=55.")
        }
        var json = JSONWriter()
        json.object { json in
            json.field(
                "reports",
                array: { json in
                    json.object { json in
                        json.field("device", parameter("id") ?? "")
                        json.field(
                            "values",
                            array: { json in
                                for (quantity, value) in values {
                                    json.object { json in
                                        json.field("quantity", quantity)
                                        json.field("value", value)
                                    }
                                }
                            })
                    }
                })
        }
        return json.bytes
    }
}
