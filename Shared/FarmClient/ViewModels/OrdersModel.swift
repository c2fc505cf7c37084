import JSON
public import Observation
public import Vocabulary

/// The page of the person's orders: those of the farm, and those that wait on this device.
@MainActor
@Observable
public final class OrdersModel: ViewModel {
    /// An order as its row shows it.
    public struct Order: Sendable, Equatable, Identifiable {
        /// Where an order is.
        public enum State: Sendable, Equatable {
            /// On this device, to be sent.
            case waiting
            /// The farm refused it, for this reason.
            case refused(String)
            /// At the farm, in this state: `placed`, `packed`, `collected`, `cancelled`.
            case accepted(String)
        }

        /// The farm's id of the order, or that of the pending change.
        public let id: String
        public let state: State
        /// When it was made; nil if the farm has not said it yet.
        public let placed: Instant?
        /// The sum; nil while it waits.
        public let total: Money?
        /// Whether its cancellation waits to be sent.
        public let isBeingCancelled: Bool
    }

    public let farm: FarmClient
    public var lastError: FarmClientError?
    /// What waits, then the farm's orders; the newest first.
    public private(set) var orders: [Order] = []
    private var pending: [PendingChange] = []

    public init(_ farm: FarmClient) { self.farm = farm }

    public func update() async throws(FarmClientError) {
        pending = try farm.pendingChanges()
        let cancelled = Set(pending.filter { $0.kind == .cancellation && $0.refusal == nil }.map(\.record))
        let waiting = pending.filter { $0.kind == .order }.sorted { $0.made > $1.made }.map { change in
            Order(
                id: change.id, state: change.refusal.map { .refused($0) } ?? .waiting, placed: change.made, total: nil,
                isBeingCancelled: false)
        }
        let accepted = try farm.records(.orders).map { record in
            Order(
                id: record.id, state: .accepted(record.text("state") ?? ""),
                placed: record.text("placed").flatMap { Instant($0) },
                total: record.body["total"].flatMap(Money.init(json:)), isBeingCancelled: cancelled.contains(record.id))
        }
        orders = waiting + accepted.sorted { ($1.placed ?? .earliest, $1.id) < ($0.placed ?? .earliest, $0.id) }
    }

    /// Cancels an order: one that waits is taken back, one of the farm is cancelled with the next synchronisation.
    public func cancel(_ order: Order) async {
        do throws(FarmClientError) {
            if let change = pending.first(where: { $0.id == order.id }) {
                try farm.takeBack(change)
            } else {
                try farm.cancel(order: order.id)
            }
            try await update()
        } catch {
            lastError = error
        }
    }
}
