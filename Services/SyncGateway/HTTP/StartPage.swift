import EventSourcing
import Events
import HTTP
import Host
import JSON
import Vocabulary
import Wire

/// The texts of the buyers' start page.
extension SyncGateway {
    func present(_ call: RequestContext, _ tables: any Tables) throws(Problem) -> [Effect] {
        let body = try call.body()
        let event = SitePresented(
            title: try body.optionalText("title"), welcome: try body.optionalText("welcome", limit: 1000),
            donate: try body.optionalText("donate", limit: 500),
            sponsors: try Self.sponsors(body))
        let response = respond(call.web, .made { event.write(fields: &$0) })
        // An unchanged presentation is not recorded again.
        let before = tables.get(SyncRow.self, SyncRecordWriter.key("site", "site"))?.members?.filter { $0.0 != "id" }
        var json = JSONWriter()
        json.object { event.write(fields: &$0) }
        if let before, JSONAny.object(before) == JSONAny(text: json.bytes) { return [response] }
        let draft = Draft(
            event, in: "site", id: .named("site|\(call.actor)|\(call.key ?? "")|\(time.microseconds)", in: .furrow),
            by: call.actor)
        return [.append([draft]), response]
    }

    private static func sponsors(_ body: RequestBody) throws(Problem) -> [SitePresented.Sponsor] {
        (try body.find("sponsors", as: [SitePresented.Sponsor].self) ?? []).map { sponsor in
            SitePresented.Sponsor(name: sponsor.name, website: sponsor.website?.isEmpty == true ? nil : sponsor.website)
        }
    }
}
