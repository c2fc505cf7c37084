import HTTP
import JSON
import SQLite

/// Sends what was promised.
extension FarmClient {
    /// What became of promises in one synchronisation.
    struct SendResult: Sendable {
        var done = 0
        var needsSignIn = false
    }

    /// What an answer to one promise means.
    private enum Outcome {
        case done(JSONValue)
        case refused(String)
        /// Nobody knows yet: it is asked again, and what stands behind it does not wait for it.
        case unclear
        case signInNeeded
        /// Nobody answers, or not the farm server.
        case nobody
    }

    /// Sends what waits of whoever is signed in, the oldest first. Blocks. Where nobody answers all that is left waits;
    /// what is new is asked for all the same, for that is who may answer.
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
            case .unclear:
                try kept { keep throws(SQLiteError) in try keep.noteUnclear(pendingChange) }
                // Each has kept the server waiting, and what is new is not asked for before the end.
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
        let response = try server.send(
            "POST", "/v1/sync", token: token, key: pendingChange.id, body: pendingChange.request)
        if response.status == 401 { return .signInNeeded }
        guard response.status < 500, ![425, 429].contains(response.status) else { return .unclear }
        let json = try Server.json(response.body)
        guard response.status < 300 else { return .refused(Self.detail(json, response.status)) }
        guard let result = json["results"]?.array?.first(where: { _ in true }),
            let status = read(result, { json throws(JSONError) -> Int? in try json.find("status") })
        else {
            throw FarmClientError(.unreachable, "What answers there is no farm server.")
        }
        switch status {
        case 202, 425, 429, 500...: return .unclear
        case 401: return .signInNeeded
        case 300...: return .refused(Self.detail(result["answer"] ?? result, status))
        default: return .done(result)
        }
    }

    /// What was promised is a record now.
    private func settle(_ pendingChange: PendingChange, _ result: JSONValue) throws(FarmClientError) {
        let answer = pendingChange.kind == .order ? result["answer"] : nil
        let order = answer.flatMap { Self.said($0, "order") }
        let record = order.flatMap { order in answer.flatMap { Self.record(order, $0) } }
        try kept { keep throws(SQLiteError) in
            try keep.drop(pendingChange)
            if let order { try keep.noteSent(pendingChange, order) }
            // Whoever has signed out meanwhile has no records here any more.
            if let record, record.isWhole, try keep.me()?.person == pendingChange.person { try keep.put(record) }
        }
    }

    /// An answer of the market's as a record of `orders`.
    private static func record(_ name: String, _ answer: JSONValue) -> Change? {
        let told = read(answer) { json throws(JSONError) in try JSONAny(json: json) }
        guard case .object(let members)? = told else { return nil }
        let body = JSONAny.object([("id", .string(name))] + members.filter { $0.0 != "id" })
        return Change(table: .orders, id: name, body: text(of: body))
    }

    private static func detail(_ problem: JSONValue, _ status: Int) -> String {
        said(problem, "detail") ?? "The farm server said no (\(status))."
    }

    private static func said(_ json: JSONValue, _ member: String) -> String? {
        read(json) { json throws(JSONError) in try json.find(member) }
    }
}

extension PendingChange {
    var isOfFavourites: Bool { kind == .favourite || kind == .favouriteNoMore }
}
