import Crypto
import EventSourcing
import HTTP
import Host
import JSON
import Printing
import System
import Vault
import Vocabulary
import Wire

/// A report whose parts are being read: first the stocktake, then its lines page by page.
struct StocktakeReportCall {
    let call: RequestContext
    let stocktake: String
    /// The stocktake as JSON; nil before it was read.
    var head: [UInt8]?
    var lines: [String] = []
    var web: WebRequest { call.web }

    /// The address that the report is sent to; nil if the caller gets it.
    let to: String?

    init(_ call: RequestContext, to: String? = nil) {
        self.call = call
        self.to = to
        stocktake = call.parameter("stocktake") ?? ""
    }
}

extension SyncGateway {
    /// Requests the next part of a report.
    mutating func report(_ call: StocktakeReportCall) throws(Problem) -> [Effect] {
        if call.head == nil {
            let open = pendingCalls.count { if case .report = $0.value { true } else { false } }
            guard open < GatewayLimits.reports else { throw .busy }
        }
        var json = JSONWriter()
        json.object { json in
            json.field("stocktake", call.stocktake)
            if call.head != nil { json.field("after", call.lines.count) }
        }
        let body = json.bytes
        return try begin(.report(call)) { token in
            OutgoingRequest(
                call.head == nil ? InventoryQueryName.stocktake : .stocktakeLines, body: body,
                actor: call.call.actor, token: token, seconds: GatewayLimits.querySeconds)
        }
    }

    /// Takes a part of a report, and draws the whole on a worker.
    mutating func reported(_ call: StocktakeReportCall, _ outcome: RequestOutcome) -> [Effect] {
        var call = call
        let web = call.web
        guard case .answer(let answer) = outcome else { return [respond(web, .tooSlow)] }
        guard answer.status < 400 else { return [respond(web, HTTPResponse(answer))] }
        do throws(Problem) {
            guard let head = call.head else {
                call.head = answer.body
                return try report(call)
            }
            let page = try RequestBody(answer.body)
            call.lines += try page.get("items", as: [String].self)
            if try page.find("next", as: Int.self) != nil {
                guard call.lines.count < GatewayLimits.reportLines else { throw Self.tooLong }
                return try report(call)
            }
            let text = try StocktakeReport(
                head: RequestBody(head).json.reading(), lines: call.lines,
                in: call.call.caller?.language.flatMap { messageTexts[$0] } ?? .english
            ) { name in
                ZoneFile.read(name).flatMap(Zone.init(file:))
            }
            let draw = drawing(of: text)
            let letter = try letter(for: call, text)
            call.lines = []
            return try begin(.drawReport(call), most: GatewayLimits.reports) {
                guard let pdf = draw() else { return [] }
                return letter?(pdf) ?? pdf
            }
        } catch {
            return [respond(web, error)]
        }
    }

    /// Returns what draws a report on a worker; its result is nil if that is not possible.
    private func drawing(of text: StocktakeReport) -> @Sendable () -> [UInt8]? {
        let media = media
        return {
            do {
                return try ReportArtwork.pdf(
                    text.report { sha in media.flatMap { StocktakeReport.picture(sha, in: $0) } })
            } catch {
                return nil
            }
        }
    }

    /// Returns what sends the file, and returns the outcome as `Mailer.deliver` does; nil if it is not to be sent by
    /// e-mail.
    private func letter(
        for call: StocktakeReportCall, _ text: StocktakeReport
    ) throws(Problem) -> (@Sendable ([UInt8]) -> [UInt8])? {
        guard let to = call.to else { return nil }
        guard let mailer else { return { _ in Mailer.word(409, "no mail server is configured (FURROW_SMTP)") } }
        let letter = Email(
            number: UUID(bytes: SHA256.hash(Array("report".utf8), call.web.entropy)).description, recipient: to,
            subject: text.title, text: text.plain, date: time)
        let name = "\(call.stocktake).pdf"
        return { pdf in
            guard pdf.count <= GatewayLimits.attachedBytes else {
                let size = "\(pdf.count >> 20) MiB, more than \(GatewayLimits.attachedBytes >> 20)"
                return Mailer.word(413, "the report is too large for an e-mail: \(size). Download it instead")
            }
            var letter = letter
            letter.attachment = Email.Attachment(name: name, type: "application/pdf", bytes: pdf)
            return mailer.deliver(letter)
        }
    }

    func reportDrawn(_ call: StocktakeReportCall, _ result: [UInt8]) -> Effect {
        guard !result.isEmpty else { return respond(call.web, Self.tooLong) }
        guard call.to != nil else {
            return respond(
                call.web,
                HTTPResponse(status: 200, type: "application/pdf", body: result)
                    .with("Content-Disposition", "attachment; filename=\"\(call.stocktake).pdf\""))
        }
        let status = Int(result[0]) * 256 + Int(result[1])
        return respond(
            call.web,
            .made { json in
                json.field("accepted", status == 200)
                json.field("reason", String(decoding: result.dropFirst(2), as: UTF8.self))
            })
    }

    private static let tooLong = Problem(
        422, "unprintable",
        "This report cannot be printed: it has more than \(GatewayLimits.reportLines) lines, or a "
            + "text that cannot be drawn. /v1/stocktakes/{stocktake}/lines has all of it.")
}
