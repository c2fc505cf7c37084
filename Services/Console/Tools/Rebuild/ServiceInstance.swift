import CatalogOrders
import Host
import Recommender
import SensorIngest
import SyncGateway
import TraceLedger

/// One instance of a service as operators name it: `sensor-ingest-2`, or `catalog-orders` for slot 0.
struct ServiceInstance: CustomStringConvertible {
    let type: any Service.Type
    let name: String
    let slot: Int

    static var all: [any Service.Type] {
        [TraceLedger.self, SensorIngest.self, CatalogOrders.self, Recommender.self, SyncGateway.self]
    }

    init(_ word: String) throws(Refusal) {
        for type in Self.all {
            let name = type.name
            let slot = word == name ? 0 : word.hasPrefix(name + "-") ? Int(word.dropFirst(name.utf8.count + 1)) : nil
            guard let slot, (0..<Slot.most).contains(slot) else { continue }
            self.init(type, name, slot)
            return
        }
        let names = Self.all.map { $0.name }.joined(separator: ", ")
        throw Refusal("There is no service \(word); there are \(names).", isMisuse: true)
    }

    init(_ type: any Service.Type, _ name: String, _ slot: Int) {
        self.type = type
        self.name = name
        self.slot = slot
    }

    var description: String { slot == 0 ? name : "\(name)-\(slot)" }
}
