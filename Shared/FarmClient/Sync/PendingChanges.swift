import Crypto
import JSON
import SQLite
import Vocabulary

/// Changes made with or without a network, and sent with the next synchronisation.
extension FarmClient {
    /// Adds an order, to be sent as an order of the person who is or next signs in.
    ///
    /// - Parameters:
    ///   - lines: the offers and their quantities.
    ///   - pickup: the pickup place, a record of `pickups`.
    ///   - payment: one of `payments()`.
    /// - Throws: `misuse` for an empty order, or with a thousand pending changes; `store` if the disk is full.
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

    /// Adds the cancellation of an order; the farm may refuse it once the order is packed.
    @discardableResult
    public func cancel(order: String) throws(FarmClientError) -> PendingChange {
        try pendingChange(.cancellation, of: order, id: freshName())
    }

    /// Adds or removes a favourite farm or product; only the last change of a favourite is sent.
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

    /// Removes a refused or pending change.
    ///
    /// If it was sent without a response, the server may have applied it; then the next records show it.
    public func takeBack(_ pendingChange: PendingChange) throws(FarmClientError) {
        try kept { keep throws(SQLiteError) in try keep.drop(pendingChange) }
        tell()
    }

    @discardableResult
    func pendingChange(
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
                "\(ClientLimits.pendingChanges) changes are pending already: connect to the farm server, or remove some."
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

/// Returns a new idempotency key: 128 random bits in hex.
func freshName() -> String { Hex.encode(Random.bytes(16)) }
