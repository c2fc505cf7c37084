import EventSourcing
import Events
import HTTP
import Host
import JSON
import Vocabulary
import Wire

/// What the buyers' start page says.
extension SyncGateway {
    func present(_ call: Call, _ tables: any Tables) throws(Problem) -> [Effect] {
        let body = try call.body()
        let event = SitePresented(
            title: try body.optionalText("title"), welcome: try body.optionalText("welcome", limit: 1000),
            donate: try Self.address(body.optionalText("donate", limit: 500), "donate"),
            sponsors: try Self.sponsors(body))
        let response = respond(call.web, .made { event.write(fields: &$0) })
        // Said again, it is said already.
        let before = tables.get(SyncRow.self, SyncBoard.key("site", "site"))?.members?.filter { $0.0 != "id" }
        var json = JSONWriter()
        json.object { event.write(fields: &$0) }
        if let before, JSONAny.object(before) == JSONAny(text: json.bytes) { return [response] }
        let draft = Draft(
            event, in: "site", id: .named("site|\(call.actor)|\(call.key ?? "")|\(time.microseconds)", in: .furrow),
            by: call.actor)
        return [.append([draft]), response]
    }

    private static func sponsors(_ body: Body) throws(Problem) -> [SitePresented.Sponsor] {
        let sponsors = try body.find("sponsors", as: [SitePresented.Sponsor].self) ?? []
        guard sponsors.count <= Bounds.sponsors else {
            throw Problem(400, "malformed", "sponsors: name \(Bounds.sponsors) at most.")
        }
        for sponsor in sponsors {
            guard (1...Bounds.parameterBytes).contains(sponsor.name.utf8.count) else {
                throw Problem(400, "malformed", "sponsors: a name has 1 to \(Bounds.parameterBytes) bytes.")
            }
            _ = try address(sponsor.website, "sponsors")
        }
        return sponsors
    }

    private static func address(_ text: String?, _ member: String) throws(Problem) -> String? {
        guard let text else { return nil }
        guard text.utf8.count <= 500, text.hasPrefix("https://") || text.hasPrefix("http://"),
            text.utf8.allSatisfy({ $0 > 32 && $0 != 34 && $0 != 60 && $0 != 62 })
        else { throw Problem(400, "malformed", "\(member): write a whole address, https://…") }
        return text
    }
}
