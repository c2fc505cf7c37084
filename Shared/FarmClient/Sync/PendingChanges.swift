import Crypto
import JSON
import SQLite
import Vocabulary

/// What is decided here and sent with the next synchronisation, with a network or without.
extension FarmClient {
    /// Promises an order. It is sent as theirs who are signed in now, or sign in next.
    ///
    /// - Parameters:
    ///   - pickup: where it is fetched, a record of `pickups`.
    ///   - payment: one of `payments()`.
    /// - Throws: `misuse` for an order of nothing, or where a thousand promises wait; `store` where the disk is full.
    @discardableResult
    public func order(
        _ lines: [OrderItem], pickup: String, payment: String = "at-pickup"
    ) throws(FarmClientError) -> PendingChange {
        guard !lines.isEmpty, lines.allSatisfy({ $0.quantity > 0 }) else {
            throw FarmClientError(.misuse, "An order has lines, and each of them at least one of something.")
        }
        let told = lines.map { line in
            JSONAny.object([("offer", .string(line.offer)), ("quantity", .integer(Int64(line.quantity)))])
        }
        let id = freshName()
        return try pendingChange(
            .order, of: id, id: id,
            [("lines", .array(told)), ("pickup", .string(pickup)), ("payment", .string(payment))])
    }

    /// Promises to call an order off; the farm may say no once it is packed.
    @discardableResult
    public func cancel(order: String) throws(FarmClientError) -> PendingChange {
        try pendingChange(.cancellation, of: order, id: freshName())
    }

    /// Promises that a farm or a product is liked, or is no more; only the last word about a thing is sent.
    @discardableResult
    public func like(_ table: FarmTable, _ id: String, _ isLiked: Bool = true) throws(FarmClientError) -> PendingChange
    {
        let kinds: [FarmTable: String] = [.farms: "farm", .products: "product"]
        guard let kind = kinds[table] else {
            throw FarmClientError(.misuse, "Farms and products can be liked, \(table.rawValue) cannot.")
        }
        return try pendingChange(
            isLiked ? .favourite : .favouriteNoMore, of: "\(kind).\(id)", id: freshName(),
            [("kind", .string(kind)), ("name", .string(id))])
    }

    /// Takes back what was refused, or what waits. What was sent and not answered may be done nevertheless: then it
    /// comes with the records.
    public func takeBack(_ pendingChange: PendingChange) throws(FarmClientError) {
        try kept { keep throws(SQLiteError) in try keep.drop(pendingChange) }
        tell()
    }

    private func pendingChange(
        _ kind: PendingChange.Kind, of record: String, id: String, _ members: [(String, JSONAny)] = []
    ) throws(FarmClientError) -> PendingChange {
        let made = now()
        let pendingChange = try kept { keep throws(SQLiteError) -> PendingChange? in
            let pendingChange = PendingChange(
                id: id, kind: kind, record: record, body: .object(members), made: made, person: try keep.me()?.person)
            for other in try keep.pendingChanges() where other.isReplaced(by: pendingChange) { try keep.drop(other) }
            guard try keep.promiseCount() < ClientLimits.pendingChanges else { return nil }
            try keep.add(pendingChange)
            return pendingChange
        }
        guard let pendingChange else {
            let detail =
                "\(ClientLimits.pendingChanges) promises wait already: connect to the farm server, or take some back."
            throw FarmClientError(.misuse, detail)
        }
        tell()
        occasions.tell()
        return pendingChange
    }
}

extension PendingChange {
    func isReplaced(by other: PendingChange) -> Bool {
        isOfFavourites && other.isOfFavourites && record == other.record && person == other.person
    }
}

/// 128 random bits.
func freshName() -> String { Hex.encode(Random.bytes(16)) }
