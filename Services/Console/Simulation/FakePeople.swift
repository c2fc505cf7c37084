import Crypto
import HTTP
import JSON
import System
import Vocabulary

/// The people of the simulated farm: they use the public API as any client does.
final class FakePeople {
    let url: String
    private let token: String
    let client = HTTPClient()

    init(url: String, token: String) {
        self.url = url
        self.token = token
    }

    /// One step of the simulated story: calls that are made at a time of the simulation.
    struct Chapter {
        let at: Instant
        let title: String
        let act: (FakePeople) throws -> Void
    }

    /// Creates the farm, its plots and stores, the measuring point of each node, and the alarm rules of the cold
    /// stores.
    ///
    /// Returns false, and changes nothing, if there is a farm already.
    func settleDown(_ nodes: [FakeNode]) throws -> Bool {
        guard try items("/v1/farms").isEmpty else { return false }
        try post(
            "/v1/farms", #"{"farm":"sunny-cove","title":"Sunny Cove Farm","zone":"America/New_York","country":"US"}"#)
        for area in FakeArea.all {
            if area.isStore {
                try post(
                    "/v1/stores",
                    #"{"farm":"sunny-cove","store":"\#(area.name)","title":"\#(area.title)","cold":\#(area.isCold)}"#)
            } else {
                try post(
                    "/v1/plots",
                    #"{"farm":"sunny-cove","plot":"\#(area.name)","title":"\#(area.title)","crop":"\#(area.crop)","areaSquareMetres":1200}"#
                )
            }
        }
        for node in nodes {
            try send(
                "PUT", "/v1/points/\(node.point)",
                #"{"title":"\#(node.area.title), node \#(node.number + 1)","place":"\#(node.area.place)","device":"\#(node.device)"}"#
            )
        }
        for area in FakeArea.all where area.isCold {
            try send(
                "PUT", "/v1/rules/\(area.name)-warm",
                #"{"place":"\#(area.place)","quantity":"temperature","above":12,"hysteresis":0.5}"#)
        }
        return true
    }

    /// The story of one lot of tomatoes, from the sowing, before the first sensor was installed, to the packed box.
    func chapters(from start: Instant) -> [Chapter] {
        func day(_ number: Double) -> Instant { start.advanced(bySeconds: number * 86_400) }
        return [
            Chapter(at: day(0.01), title: "sown long ago") { people in
                let plot = "/v1/plots/p1/activities"
                try people.post(
                    plot,
                    #"{"kind":"sowing","happened":"\#(day(-84))","substance":"Tomato seed, variety Matina","amount":0.4,"unit":"kg"}"#
                )
                try people.post(
                    plot,
                    #"{"kind":"fertilising","happened":"\#(day(-60))","substance":"Compost","amount":300,"unit":"kg"}"#)
                try people.post(
                    plot,
                    #"{"kind":"plant-protection","happened":"\#(day(-21))","substance":"Potassium soap","amount":12,"unit":"l","waitingDays":3}"#
                )
                try people.post(plot, #"{"kind":"weeding","happened":"\#(day(-12))"}"#)
                let activity = try people.items(plot).first { try $0.get("kind", as: String.self) == "fertilising" }
                guard let id: String = try activity?.get("activity") else { return }
                try people.post(
                    "/v1/activities/\(id)/corrections",
                    #"{"kind":"fertilising","happened":"\#(day(-60))","substance":"Compost","amount":30,"unit":"kg","reason":"One nought too many"}"#
                )
            },
            Chapter(at: day(5), title: "harvested") { people in
                try people.post("/v1/lots", #"{"lot":"TOM-1","product":"Tomatoes Matina","plot":"p1","grams":240000}"#)
                try people.post("/v1/lots/TOM-1/storings", #"{"store":"s1"}"#)
                try people.post("/v1/lots/TOM-1/splits", #"{"into":"TOM-1A","grams":120000}"#)
            },
            Chapter(at: day(6), title: "packed") { people in
                try people.post("/v1/lots/TOM-1A/packings", #"{"boxes":24,"gramsEach":5000}"#)
                try people.tell(try people.post("/v1/lots/TOM-1A/labels", "{}"))
                try people.stockShelves()
            },
            Chapter(at: day(6.5), title: "for sale") { people in try people.openShop(at: day(6.5)) },
            Chapter(at: day(6.6), title: "tool shed") { people in try people.fillShed() },
        ]
    }

    private var sample: String?

    private func tell(_ answer: [UInt8]) throws {
        sample = try JSONValue.parse(answer)["labels"]?.array?.first { _ in true }?.get("url")
    }

    func live(_ chapter: Chapter, _ farmPaths: FarmPaths) throws {
        try chapter.act(self)
        guard let sample else { return }
        var json = JSONWriter()
        json.object { $0.field("sampleTrace", sample) }
        try File.writeAtomically(farmPaths.demoFile, json.bytes + [10], mode: 0o600)
    }

    /// The number of stored reports, summed over the farm's list of devices.
    func reportsTaken() throws -> Int {
        try items("/v1/devices").reduce(0) { sum, device in sum + (try device.get("reports", as: Int.self)) }
    }

    /// Returns the items of all pages of a list, whose names need no escaping.
    func items(_ path: String) throws -> [JSONValue] {
        var items: [JSONValue] = []
        var next: String?
        repeat {
            let page = try JSONValue.parse(send("GET", path + (next.map { "?after=\($0)" } ?? ""), ""))
            items += page["items"]?.array.map { Array($0) } ?? []
            next = try page.find("next")
        } while next != nil
        return items
    }

    @discardableResult
    func post(_ path: String, _ body: String) throws -> [UInt8] {
        try send("POST", path, body)
    }

    /// Sends a request once, and waits two seconds at most. Throws if it does not succeed.
    func attempt(_ method: String, _ path: String, _ body: String = "", key: String? = nil) throws -> [UInt8] {
        let key = key ?? Hex.encode(Random.bytes(16))
        let response = try client.send(
            method, url + path,
            headers: authorised + [("Idempotency-Key", key), ("Content-Type", "application/json")],
            body: Array(body.utf8), timeoutSeconds: 2)
        guard (200...299).contains(response.status) else { throw Refusal("\(path): \(response.status)") }
        return response.body
    }

    /// Repeats the request, always with the same idempotency key, until it succeeds or is rejected; at most 60 times.
    @discardableResult
    func send(_ method: String, _ path: String, _ body: String) throws -> [UInt8] {
        let key = Hex.encode(Random.bytes(16))
        var answer: HTTPResponse?
        for _ in 0..<60 {
            let response: HTTPResponse
            do {
                response = try client.send(
                    method, url + path,
                    headers: authorised + [("Idempotency-Key", key), ("Content-Type", "application/json")],
                    body: Array(body.utf8), timeoutSeconds: 30)
            } catch {
                _ = try Poll.wait([], milliseconds: 500)
                continue
            }
            if (200...299).contains(response.status), response.status != 202 { return response.body }
            answer = response
            if isEarly(response) {
                _ = try Poll.wait([], milliseconds: 500)
                continue
            }
            guard response.status >= 500 || response.status == 202 else { break }
            _ = try Poll.wait([], milliseconds: 500)
        }
        guard let answer else { throw Refusal("\(method) \(path) was not answered.") }
        throw Refusal("\(method) \(path): \(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
    }

    /// Whether a request failed because the deciding service has not yet received the events that it depends on.
    ///
    /// A week that is simulated in seconds runs ahead of the market.
    private func isEarly(_ response: HTTPResponse) -> Bool {
        [404, 425].contains(response.status)
            || response.status == 409 && String(decoding: response.body, as: UTF8.self).contains("more-than-packed")
    }

    var authorised: [(String, String)] { [("Authorization", "Bearer \(token)")] }
}
