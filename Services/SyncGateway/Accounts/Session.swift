import JSON
import Vocabulary

/// A sign-in of a person on one device.
struct Session: Sendable, Equatable, JSONReadable, JSONWritable {
    let person: PersonID
    var expires: Instant
    /// Nil in sessions of builds that did not record it yet.
    var opened: Instant?
    var used: Instant?
    /// The browser and system in words, and the network from which the session was opened.
    var device: String?
    var network: String?

    init(person: PersonID, at now: Instant, device: String, network: String) {
        self.person = person
        self.device = device
        self.network = network
        expires = now.advanced(bySeconds: GatewayLimits.sessionSeconds)
        opened = now
        used = now
    }

    init(json: borrowing JSONValue) throws(JSONError) {
        person = try json.get("person")
        expires = try json.get("expires")
        opened = try json.find("opened")
        used = try json.find("used")
        device = try json.find("device")
        network = try json.find("network")
    }

    var lastUsed: Instant { used ?? expires.advanced(bySeconds: -GatewayLimits.sessionSeconds) }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("person", person)
            json.field("expires", expires)
            json.field("opened", ifPresent: opened)
            json.field("used", ifPresent: used)
            json.field("device", ifPresent: device)
            json.field("network", ifPresent: network)
        }
    }
}

/// Names a device by its `User-Agent` header (RFC 9110, 10.1.5).
enum DeviceName {
    private static let browsers = [
        ("Edg", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("FxiOS", "Firefox"), ("CriOS", "Chrome"),
        ("Chromium", "Chromium"), ("Chrome/", "Chrome"), ("Safari/", "Safari"), ("curl/", "curl"),
    ]
    private static let systems = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"), ("CrOS", "ChromeOS"),
        ("Mac OS X", "Mac"), ("Linux", "Linux"),
    ]

    static func of(_ agent: String?) -> String {
        let agent = agent ?? ""
        func name(_ list: [(String, String)]) -> String? { list.first { agent.contains($0.0) }?.1 }
        switch (name(browsers), name(systems)) {
        case (let browser?, let system?): return "\(browser) on \(system)"
        case (let only?, nil), (nil, let only?): return only
        case (nil, nil): return agent.isEmpty ? "Unknown device" : "Another app"
        }
    }
}
