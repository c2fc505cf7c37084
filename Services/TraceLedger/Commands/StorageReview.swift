import EventSourcing
import Events
import Vocabulary

/// Publishes the limits of a store when they change.
///
/// After a start every store is compared with what was published last; later, the stores that a decision touched. So
/// each way to change a store's content is covered by one comparison.
struct StorageReview {
    private var isWhole = true
    private var touched: Set<StoreID> = []

    /// Notes the stores that decided events touch.
    ///
    /// - Parameter tables: The tables before the events are projected: a lot is still where it was.
    mutating func note(_ drafts: [Draft], _ tables: any Tables) {
        for draft in drafts {
            switch draft.event {
            case let event as Stored:
                touched.insert(event.store)
                touch(event.lot, tables)
            case let event as HandedOver: touch(event.lot, tables)
            case let event as LotSplit: touch(event.lot, tables)
            case let event as Packed: touch(event.lot, tables)
            case let event as HarvestCorrected: touch(event.lot, tables)
            case is GoodsLimitsSet: isWhole = true
            default: break
            }
        }
    }

    /// Returns the events about stores whose limits are not those that were published last.
    mutating func next(_ tables: any Tables) -> [Draft] {
        guard isWhole || !touched.isEmpty else { return [] }
        let rows = tables.all(PlaceRow.self, prefix: "store/")
        let kinds = tables.all(GoodsRow.self, prefix: "").map(\.setting)
        let drafts = rows.compactMap { row -> Draft? in
            let store = StoreID(String(row.key.dropFirst("store/".utf8.count)))
            guard isWhole || touched.contains(store) else { return nil }
            let lots = tables.find(LotRow.self, where: "place", is: row.key, limit: .max).filter(\.isInStore)
                .map {
                    StorageLimits.StoredLot(
                        lot: LotID($0.key), product: $0.state.harvest?.product ?? "", stages: $0.stages)
                }
            let limits = StorageLimits.limits(of: store, title: row.title, with: lots, by: kinds)
            let published = tables.get(StorageLimitsRow.self, store.rawValue)?.published
            guard limits != published, published != nil || !limits.goods.isEmpty else { return nil }
            return Draft(limits, in: row.key, farm: row.farm, by: .service(TraceLedger.name))
        }
        isWhole = false
        touched = []
        return drafts
    }

    private mutating func touch(_ lot: LotID, _ tables: any Tables) {
        guard case .store(let store)? = tables.get(LotRow.self, lot.rawValue)?.state.place else { return }
        touched.insert(store)
    }
}

extension LotRow {
    /// Whether something of the lot is on the farm: not all of it was split off or handed over.
    fileprivate var isInStore: Bool { state.handedTo == nil && state.grams > state.splitOff }

    /// In which stages goods of the lot are.
    fileprivate var stages: Set<LotStage> {
        Set((state.left > 0 ? [.harvested] : []) + (state.packed > 0 ? [.packed] : []))
    }
}
