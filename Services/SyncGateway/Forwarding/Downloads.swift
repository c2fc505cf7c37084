import EventSourcing
import HTTP
import Host
import Vocabulary
import Wire

/// A list that is sent as CSV. Another service writes it page by page, and a page is requested when the one before was
/// sent. So a slow client takes no more memory than a page.
struct Download {
    private var call: RequestContext
    let query: QueryName
    /// Whether the first page has been sent.
    fileprivate(set) var hasBegun = false

    init(_ call: RequestContext, _ query: QueryName) {
        self.call = call
        self.query = query
        set("format", "csv")
    }

    var web: WebRequest { call.web }
    var actor: Actor { call.actor }
    var fileName: String { call.route.name + ".csv" }

    /// Returns the body of the request for the next page.
    func body() throws(Problem) -> [UInt8] { try call.ask() }

    /// Continues with the page after `after`.
    fileprivate mutating func advance(to after: String) {
        hasBegun = true
        set("after", after)
    }

    private mutating func set(_ name: String, _ value: String) {
        call.parameters.removeAll { $0.name == name }
        call.parameters.append((name, value))
    }
}

extension RequestContext {
    /// Whether the caller wants a list as CSV: by `format`, or else by `Accept`.
    var wantsCSV: Bool {
        guard route.isTable else { return false }
        if let format = parameter("format") { return format == "csv" }
        let accepted = web.request.headers["Accept"] ?? ""
        return accepted.split(separator: ",").contains { $0.lowercased().contains("text/csv") }
    }
}

extension SyncGateway {
    mutating func download(_ call: RequestContext, _ query: QueryName) throws(Problem) -> [Effect] {
        let requested = pendingCalls.count { if case .download = $0.value { true } else { false } }
        guard downloads.count + requested < GatewayLimits.downloads else { throw .busy }
        return try requestPage(of: Download(call, query))
    }

    private mutating func requestPage(of download: Download) throws(Problem) -> [Effect] {
        let body = try download.body()
        let receiver = address(of: download.query.request)
        return try begin(.download(download)) { token in
            OutgoingRequest(
                download.query.request, to: receiver, body: body, actor: download.actor, token: token,
                seconds: GatewayLimits.querySeconds)
        }
    }

    /// Sends a page. An error of the first page is the response; later ones break the body off.
    mutating func downloaded(_ download: Download, _ outcome: RequestOutcome) -> [Effect] {
        var download = download
        do throws(Problem) {
            guard case .answer(let answer) = outcome else { throw .tooSlow }
            guard answer.status < 400 else {
                return [download.hasBegun ? missing(download) : respond(download.web, HTTPResponse(answer))]
            }
            let page = try RequestBody(answer.body)
            let csv = Array(try page.get("csv", as: String.self).utf8)
            let next: String? = try page.find("next")
            let token = takeToken()
            let web = download.web
            let isFirst = !download.hasBegun
            if let next {
                download.advance(to: next)
                downloads[token] = download
            }
            guard isFirst else { return [.continueBody(web, next == nil ? .last(csv) : .more(csv), token: token)] }
            let head = HTTPResponse(status: 200, type: "text/csv; charset=utf-8; header=present", body: csv)
                .with("Content-Disposition", "attachment; filename=\"\(download.fileName)\"")
            guard next != nil else { return [respond(web, head)] }
            return [.beginBody(web, head: dressed(head, for: web), token: token)]
        } catch {
            return [download.hasBegun ? missing(download) : respond(download.web, error)]
        }
    }

    /// Requests the next page after the one before was sent. The result is empty if the client has disconnected.
    mutating func continueDownload(_ download: Download, _ result: [UInt8]) -> [Effect] {
        guard !result.isEmpty else { return [missing(download)] }
        do throws(Problem) {
            return try requestPage(of: download)
        } catch {
            return [missing(download)]
        }
    }

    private func missing(_ download: Download) -> Effect { .continueBody(download.web, .missing, token: 0) }
}
