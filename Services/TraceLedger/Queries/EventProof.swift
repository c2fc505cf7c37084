import EventSourcing
import JSON
import Vocabulary
import Wire

/// Queries for verifying the hub.
extension LedgerQueries {
    func passportProof(_ body: RequestBody) throws(Problem) -> Response {
        let lot = try body.name("lot")
        guard let row = tables.get(PassportRow.self, lot) else {
            throw Problem(404, "no-passport", "Lot \(lot) has no passport yet.")
        }
        let isWaiting = tables.get(LotRow.self, lot).map(BlockedPlaces(tables).holds) ?? false
        return try proof(of: row.event, body, "The newest passport") { json in
            // This is the current state, and no part of the signed data.
            json.field("waiting", ifPresent: isWaiting ? true : nil)
        }
    }

    /// Returns the event that ended a stocktake, with everything that is needed to verify it.
    func stocktakeProof(_ body: RequestBody) throws(Problem) -> Response {
        let stocktake = try body.name("stocktake")
        guard let end = tables.get(StocktakeRow.self, stocktake)?.end else {
            throw Problem(404, "not-finished", "There is no finished stocktake \(stocktake).")
        }
        return try proof(of: end.event, body, "The end of the stocktake") { _ in }
    }

    private func proof(
        of event: UUID, _ body: RequestBody, _ what: String, _ more: (inout JSONWriter) -> Void
    ) throws(Problem) -> Response {
        let since = try body.optionalText("since").flatMap { UInt64($0) }
        guard let evidence = try reading({ () throws(LogFailure) in try archive.evidence(of: event, since: since) })
        else { throw Problem(503, "not-yet", "\(what) is being written; try again in a second.") }
        return .made { json in
            json.field("hub", archive.keys.hub)
            json.field("entry", String(decoding: evidence.entry, as: UTF8.self))
            json.field("salt", BaseEncoding.base64.encode(evidence.salt))
            json.field("bytes", BaseEncoding.base64.encode(evidence.bytes))
            json.field("index", evidence.index)
            json.field("size", evidence.size)
            json.field("proof", evidence.proof.map(BaseEncoding.base64.encode))
            json.field("checkpoint", evidence.checkpoint)
            json.field("consistency", ifPresent: evidence.consistency?.map(BaseEncoding.base64.encode))
            more(&json)
        }
    }

    func ledgerKeys() -> Response {
        .made { json in
            json.field("hub", archive.keys.hub)
            json.field(
                "checkpointKeys",
                array: { json in
                    json.object { json in
                        json.field("type", "ed25519")
                        json.field("name", archive.keys.hub)
                        json.field("vkey", archive.keys.vkey)
                    }
                    json.object { json in
                        json.field("type", "p256")
                        json.field("name", archive.keys.hub)
                        json.field("spki", BaseEncoding.base64.encode(archive.keys.spki))
                    }
                })
            json.field(
                "labelKeys",
                array: { json in
                    for key in tables.scan(LabelKeyRow.self, limit: LedgerLimits.pageItems) {
                        json.object { json in
                            json.field("kid", key.key)
                            json.field("publicKey", key.publicKey)
                            json.field("since", key.since)
                            guard let revoked = key.revoked else { return }
                            json.field(
                                "revoked",
                                object: { json in
                                    json.field("at", revoked)
                                    json.field("reason", key.reason ?? "")
                                })
                        }
                    }
                })
        }
    }

    func checkpoint() throws(Problem) -> Response {
        guard let note = try reading({ () throws(LogFailure) in try archive.checkpoint() }) else {
            throw Problem(404, "no-checkpoint", "Nothing is signed yet.")
        }
        return .made { $0.field("checkpoint", note) }
    }

    func checkpoints(_ body: RequestBody) throws(Problem) -> Response {
        let after: UInt64 = try body.get("after")
        let checkpoints = try reading { () throws(LogFailure) in try archive.checkpoints(after: after) }
        return .made { json in
            json.field(
                "checkpoints",
                array: { json in
                    for (size, note) in checkpoints {
                        json.object { json in
                            json.field("size", size)
                            json.field("checkpoint", note)
                        }
                    }
                })
        }
    }

    func tile(_ body: RequestBody) throws(Problem) -> Response {
        let level: Int = try body.get("level")
        let index: UInt64 = try body.get("index")
        let width: Int = try body.get("width")
        guard (0...63).contains(level), (1...256).contains(width),
            let hashes = try reading({ () throws(LogFailure) in
                try archive.tile(level: level, index: index, width: width)
            })
        else { throw Problem(404, "no-tile", "The tree has no such tile.") }
        return .made { $0.field("hashes", BaseEncoding.base64.encode(hashes)) }
    }

    func entries(_ body: RequestBody) throws(Problem) -> Response {
        let first: Position = try body.get("first")
        let count: Int = try body.get("count")
        guard first > 0, (1...256).contains(count) else {
            throw Problem(404, "no-entries", "Ask for 1 to 256 entries; the first is number 1.")
        }
        let entries = try reading { () throws(LogFailure) in try archive.entries(from: first, count: count) }
        return .made { $0.field("entries", entries.map { String(decoding: $0, as: UTF8.self) }) }
    }

    private func reading<Value>(_ body: () throws(LogFailure) -> Value) throws(Problem) -> Value {
        do {
            return try body()
        } catch {
            throw Problem(503, "storage", "The ledger cannot read its storage (\(error.operation)).")
        }
    }
}
