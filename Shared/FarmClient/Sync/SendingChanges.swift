import HTTP
import JSON
import SQLite

/// Sending pending changes.
extension FarmClient {
    /// The result of sending in one synchronisation.
    struct SendResult: Sendable {
        var done = 0
        /// Changes that nodes carry to the farm.
        var carried = 0
        var needsSignIn = false
    }

    /// The meaning of a response to one pending change.
    private enum Outcome {
        case done(JSONValue)
        case refused(String)
        /// Unknown: it is sent again later, and does not delay the changes after it.
        case unclear
        case signInNeeded
        /// A node carries it to the farm.
        case carried
        /// The farm server did not respond.
        case nobody
    }

    /// Sends the signed-in person's pending changes, oldest first; blocks.
    ///
    /// If the server is unreachable, the rest stays pending.
    func send() throws(FarmClientError) -> SendResult {
        var sending = SendResult()
        let (session, mine) = try kept { keep throws(SQLiteError) in
            let session = try keep.session()
            return (session, try keep.pendingChanges().filter { $0.refusal == nil && $0.person == session.me?.person })
        }
        guard let token = session.token else {
            sending.needsSignIn = mine.contains { $0.kind == .order || $0.kind == .cancellation }
            return sending
        }
        var unclear = 0
        for pendingChange in mine.prefix(ClientLimits.promisesAtOnce) {
            switch try outcome(of: pendingChange, token) {
            case .nobody:
                return sending
            case .signInNeeded:
                sending.needsSignIn = true
                return sending
            case .carried: sending.carried += 1
            case .unclear:
                try kept { keep throws(SQLiteError) in try keep.noteUnclear(pendingChange) }
                // Each unclear response has taken a full timeout, and the pull waits for the end of sending.
                unclear += 1
                if unclear == ClientLimits.unclear { return sending }
            case .refused(let reason):
                try kept { keep throws(SQLiteError) in
                    if pendingChange.isOfFavourites {
                        try keep.drop(pendingChange)
                    } else {
                        try keep.refuse(pendingChange, reason)
                    }
                }
                tell()
            case .done(let answer):
                try settle(pendingChange, answer)
                sending.done += 1
                tell()
            }
        }
        return sending
    }

    private func outcome(of pendingChange: PendingChange, _ token: String) throws(FarmClientError) -> Outcome {
        do throws(FarmClientError) {
            return try send(pendingChange, token)
        } catch {
            guard error.code == .unreachable else { throw error }
            return .nobody
        }
    }

    private func send(_ pendingChange: PendingChange, _ token: String) throws(FarmClientError) -> Outcome {
        let ticket = try kept { keep throws(SQLiteError) in try keep.ticket(pendingChange) }
        let request = server.request(
            "POST", "/v1/sync", token: token, key: pendingChange.id, body: pendingChange.request)
        let carried = try carry(request, mayWait: true, ticket: ticket)
        let response: HTTPResponse
        switch carried {
        case .underway(let ticket):
            try kept { keep throws(SQLiteError) in try keep.put(ticket, for: pendingChange) }
            return .carried
        case .answered(let answer, _):
            try kept { keep throws(SQLiteError) in try keep.dropTicket(pendingChange) }
            response = answer
        }
        if response.status == 401 { return .signInNeeded }
        guard response.status < 500, ![425, 429].contains(response.status) else { return .unclear }
        let json = try Server.json(response.body)
        guard response.status < 300 else { return .refused(Self.detail(json, response.status)) }
        guard let result = json["results"]?.array?.first(where: { _ in true }),
            let status = read(result, { json throws(JSONError) -> Int? in try json.find("status") })
        else {
            throw FarmClientError(.unreachable, "The response is not from a farm server.")
        }
        switch status {
        case 202, 425, 429, 500...: return .unclear
        case 401: return .signInNeeded
        case 300...: return .refused(Self.detail(result["answer"] ?? result, status))
        default: return .done(result)
        }
    }

    /// Replaces a pending change by the record that it created.
    private func settle(_ pendingChange: PendingChange, _ result: JSONValue) throws(FarmClientError) {
        let answer = pendingChange.kind == .order ? result["answer"] : nil
        let order = answer.flatMap { Self.said($0, "order") }
        let record = order.flatMap { order in answer.flatMap { Self.record(order, $0) } }
        try kept { keep throws(SQLiteError) in
            try keep.drop(pendingChange)
            if let order { try keep.noteSent(pendingChange, order) }
            // After a sign-out meanwhile, the person's records are not stored here.
            if let record, record.isWhole, try keep.me()?.person == pendingChange.person { try keep.put(record) }
        }
    }

    /// Returns the market's response as a record of `orders`.
    private static func record(_ name: String, _ answer: JSONValue) -> Change? {
        let told = read(answer) { json throws(JSONError) in try JSONAny(json: json) }
        guard case .object(let members)? = told else { return nil }
        let body = JSONAny.object([("id", .string(name))] + members.filter { $0.0 != "id" })
        return Change(table: .orders, id: name, body: text(of: body))
    }

    private static func detail(_ problem: JSONValue, _ status: Int) -> String {
        said(problem, "detail") ?? "The farm server refused the request (\(status))."
    }

    private static func said(_ json: JSONValue, _ member: String) -> String? {
        read(json) { json throws(JSONError) in try json.find(member) }
    }
}

extension PendingChange {
    var isOfFavourites: Bool { kind == .favourite || kind == .favouriteNoMore }
}
