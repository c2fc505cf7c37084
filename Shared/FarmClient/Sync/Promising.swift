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
        _ lines: [OrderLine], pickup: String, payment: String = "at-pickup"
    ) throws(FarmClientError) -> Promise {
        guard !lines.isEmpty, lines.allSatisfy({ $0.quantity > 0 }) else {
            throw FarmClientError(.misuse, "An order has lines, and each of them at least one of something.")
        }
        let told = lines.map { line in
            JSONAny.object([("offer", .string(line.offer)), ("quantity", .integer(Int64(line.quantity)))])
        }
        let id = freshName()
        return try promise(
            .order, of: id, id: id,
            [("lines", .array(told)), ("pickup", .string(pickup)), ("payment", .string(payment))])
    }

    /// Promises to call an order off; the farm may say no once it is packed.
    @discardableResult
    public func cancel(order: String) throws(FarmClientError) -> Promise {
        try promise(.cancellation, of: order, id: freshName())
    }

    /// Promises that a farm or a product is liked, or is no more; only the last word about a thing is sent.
    @discardableResult
    public func like(_ table: FarmTable, _ id: String, _ isLiked: Bool = true) throws(FarmClientError) -> Promise {
        let kinds: [FarmTable: String] = [.farms: "farm", .products: "product"]
        guard let kind = kinds[table] else {
            throw FarmClientError(.misuse, "Farms and products can be liked, \(table.rawValue) cannot.")
        }
        return try promise(
            isLiked ? .favourite : .favouriteNoMore, of: "\(kind).\(id)", id: freshName(),
            [("kind", .string(kind)), ("name", .string(id))])
    }

    /// Takes back what was refused, or what waits. What was sent and not answered may be done nevertheless: then it
    /// comes with the records.
    public func takeBack(_ promise: Promise) throws(FarmClientError) {
        try kept { keep throws(SQLiteError) in try keep.drop(promise) }
        tell()
    }

    private func promise(
        _ kind: Promise.Kind, of record: String, id: String, _ members: [(String, JSONAny)] = []
    ) throws(FarmClientError) -> Promise {
        let made = now()
        let promise = try kept { keep throws(SQLiteError) -> Promise? in
            let promise = Promise(
                id: id, kind: kind, record: record, body: .object(members), made: made, person: try keep.me()?.person)
            for other in try keep.promises() where other.isReplaced(by: promise) { try keep.drop(other) }
            guard try keep.promiseCount() < ClientLimits.promises else { return nil }
            try keep.add(promise)
            return promise
        }
        guard let promise else {
            let detail =
                "\(ClientLimits.promises) promises wait already: connect to the farm server, or take some back."
            throw FarmClientError(.misuse, detail)
        }
        tell()
        occasions.tell()
        return promise
    }
}

extension Promise {
    func isReplaced(by other: Promise) -> Bool {
        isOfFavourites && other.isOfFavourites && record == other.record && person == other.person
    }
}

/// 128 random bits.
func freshName() -> String { Hex.encode(Random.bytes(16)) }
