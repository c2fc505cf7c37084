import EventSourcing
import HTTP
import Host
import JSON
import Vocabulary
import Wire

/// Handles the responses of other services.
extension SyncGateway {
    mutating func answered(_ token: UInt64, _ outcome: RequestOutcome) -> [Effect] {
        guard let pendingCall = pendingCalls.removeValue(forKey: token) else { return [] }
        switch pendingCall {
        case .command(let web, let command): return [commanded(web, command, outcome)]
        case .query(let web, let form): return [queried(web, form, outcome)]
        case .download(let download): return downloaded(download, outcome)
        case .status(let web, let command): return [told(web, command, outcome)]
        case .part(let batch, let number): return partTaken(batch, number, outcome)
        case .standing(let request, let number): return stood(request, number, outcome)
        case .pushed(let push, let number): return pushed(push, number, outcome)
        case .refresh(let call): return refreshed(call, outcome)
        case .proof(let call): return proven(call, outcome)
        case .labels(let web, let format, let serial): return labelled(web, format, serial, outcome)
        case .report(let call): return reported(call, outcome)
        case .export(let web, let caller, nil): return exported(web, caller, outcome)
        case .export(let web, let caller, let market?): return [exported(web, caller, market, outcome)]
        case .opened(let row): return opened(row, outcome)
        }
    }

    private mutating func commanded(_ web: WebRequest, _ command: Forwarded, _ outcome: RequestOutcome) -> Effect {
        switch outcome {
        case .answer(let answer): return respond(web, HTTPResponse(answer))
        case .unknown:
            recent.remember(command)
            return respond(web, Self.pending(command.key, status: 202))
        }
    }

    private func queried(_ web: WebRequest, _ form: QueryForm, _ outcome: RequestOutcome) -> Effect {
        guard case .answer(let answer) = outcome else { return respond(web, .tooSlow) }
        do throws(Problem) {
            return respond(web, try form.response(to: answer))
        } catch {
            return respond(web, error)
        }
    }

    /// Responds with the caller's account and the data that the market stores about the person.
    /// Takes what the market stores about a person, and requests the rest from the recommender.
    private mutating func exported(_ web: WebRequest, _ caller: Caller, _ outcome: RequestOutcome) -> [Effect] {
        guard case .answer(let answer) = outcome else { return [respond(web, .tooSlow)] }
        guard answer.status < 400 else { return [respond(web, HTTPResponse(answer))] }
        do throws(Problem) {
            return try begin(.export(web, caller, market: answer)) { token in
                OutgoingRequest(
                    RecommenderQueryName.export, body: Array("{}".utf8), actor: .person(caller.person),
                    token: token, seconds: GatewayLimits.querySeconds)
            }
        } catch {
            return [respond(web, error)]
        }
    }

    private func exported(_ web: WebRequest, _ caller: Caller, _ market: Response, _ outcome: RequestOutcome) -> Effect
    {
        let response = HTTPResponse.made { json in
            json.field("account", object: caller.write)
            json.field("market", raw: market.body)
            if case .answer(let answer) = outcome, answer.status == 200 {
                json.field("suggestions", raw: answer.body)
            } else {
                json.field("missing", ["suggestions"])
            }
        }
        return respond(web, response.with("Content-Disposition", "attachment; filename=\"my-data.json\""))
    }

    private func told(_ web: WebRequest, _ command: Forwarded, _ outcome: RequestOutcome) -> Effect {
        guard case .answer(let answer) = outcome, !answer.isFailure else {
            return respond(web, Self.pending(command.key, status: 200))
        }
        return respond(
            web,
            .made { json in
                json.field("command", command.key)
                json.field("state", "done")
                json.field("status", answer.status)
                json.field("answer", raw: answer.body)
            })
    }

    static func pending(_ key: String, status: Int) -> HTTPResponse {
        HTTPResponse.made(status) { json in
            json.field("command", key)
            json.field("state", "pending")
        }
        .with("Location", "/v1/commands/" + encoded(key)).with("Retry-After", "2")
    }

    /// Returns `text` as a path segment (RFC 3986, section 2.3): everything but unreserved characters is escaped.
    private static func encoded(_ text: String) -> String {
        text.utf8.reduce(into: "") { encoded, byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default: encoded += "%" + Hex.encode([byte]).uppercased()
            }
        }
    }

    // MARK: Batches

    private mutating func partTaken(_ id: UInt64, _ number: Int, _ outcome: RequestOutcome) -> [Effect] {
        guard var batch = batches[id] else { return [] }
        guard case .answer(let answer) = outcome else {
            batches[id] = nil
            return [respond(batch.web, .batchUnfinished), .note(OperatorEvent("batches_unfinished"))]
        }
        batch.take(answer, for: number)
        batches[id] = batch
        guard let whole = batch.answer else { return [] }
        batches[id] = nil
        return [respond(batch.web, HTTPResponse(whole))]
    }

    // MARK: Passports

    private mutating func refreshed(_ call: PassportCall, _ outcome: RequestOutcome) -> [Effect] {
        switch outcome {
        case .unknown: [respond(call.web, .ledgerAway)]
        case .answer(let answer) where answer.status >= 400: [respond(call.web, HTTPResponse(answer))]
        case .answer: proving(call)
        }
    }

    /// Requests the proof of the newest passport from the ledger.
    mutating func proving(_ call: PassportCall) -> [Effect] {
        var json = JSONWriter()
        json.object { json in
            json.field("lot", call.lot)
            json.field("since", ifPresent: call.since)
        }
        let body = json.bytes
        do throws(Problem) {
            return try begin(.proof(call)) { token in
                OutgoingRequest(
                    LedgerQueryName.passportProof, body: body, actor: .service(Self.name), token: token,
                    seconds: GatewayLimits.querySeconds)
            }
        } catch {
            return [respond(call.web, error)]
        }
    }

    private mutating func proven(_ call: PassportCall, _ outcome: RequestOutcome) -> [Effect] {
        switch outcome {
        case .unknown: return [respond(call.web, .ledgerAway)]
        case .answer(let answer) where answer.status == 503 && tick < call.patience:
            // The event is committed, and its checkpoint will be signed soon: request the proof again later.
            proofs.append((tick + GatewayLimits.proofTicks, call))
            return []
        case .answer(let answer): return [respond(call.web, HTTPResponse(answer))]
        }
    }

    // MARK: Labels

    private mutating func labelled(
        _ web: WebRequest, _ format: LabelFormat, _ serial: String?, _ outcome: RequestOutcome
    ) -> [Effect] {
        guard case .answer(let answer) = outcome else { return [respond(web, .tooSlow)] }
        guard answer.status < 400 else { return [respond(web, HTTPResponse(answer))] }
        do throws(Problem) {
            let all: LabelSheet = try RequestBody(answer.body).json.reading()
            try (!all.boxes.isEmpty).otherwise(
                Problem(409, "not-packed", "Lot \(all.lot) has no boxes yet; pack it first."))
            let sheet = format == .pdf ? all : try all.one(serial)
            return try begin(.draw(web, format, lot: sheet.lot), most: GatewayLimits.drawings) {
                do {
                    return try sheet.draw(as: format)
                } catch {
                    return []
                }
            }
        } catch {
            return [respond(web, error)]
        }
    }
}

extension QueryForm {
    func response(to answer: Response) throws(Problem) -> HTTPResponse {
        guard answer.status < 400 else { return HTTPResponse(answer) }
        switch self {
        case .json: return HTTPResponse(answer)
        case .note:
            let note: String = try RequestBody(answer.body).get("checkpoint")
            return HTTPResponse(status: 200, type: "text/plain; charset=utf-8", body: Array(note.utf8))
        case .tile:
            guard let hashes = BaseEncoding.base64.decode(try RequestBody(answer.body).get("hashes")) else {
                throw Problem(502, "unreadable-answer", "The ledger answered in a way nobody understands.")
            }
            // A tile never changes.
            return HTTPResponse(status: 200, type: "application/octet-stream", body: hashes)
                .with("Cache-Control", "public, max-age=31536000, immutable")
        }
    }
}

extension JSONValue {
    /// Decodes the value; throws a `Problem` if it is malformed.
    func reading<Value: JSONReadable>() throws(Problem) -> Value {
        do {
            return try read()
        } catch {
            throw .malformed(error)
        }
    }
}

extension Problem {
    static let tooSlow = Problem(504, "no-answer", "The service that knows did not answer in time; try again.")
    static let ledgerAway = Problem(503, "ledger-away", "The ledger does not answer just now; try again in a moment.")
    static let batchUnfinished = Problem(
        503, "batch-unfinished",
        "Not everything of the batch is known to be taken; send it again with the same Idempotency-Key.")
}
