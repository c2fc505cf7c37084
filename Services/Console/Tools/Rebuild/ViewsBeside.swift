import EventSourcing
import EventStore
import Host
import System
import TraceLedger

/// Views beside those that a service uses.
struct ViewsBeside {
    let instance: ServiceInstance
    let place: ViewGeneration
    let position: Position

    /// - Parameter conninfo: nil if the database does not respond; then the ledger's views are omitted.
    static func all(in farmPaths: FarmPaths, conninfo: String?) throws -> [ViewsBeside] {
        var found: [ViewsBeside] = []
        for type in ServiceInstance.all where Directory.isDirectory("\(farmPaths.home)/\(type.name)") {
            let service = "\(farmPaths.home)/\(type.name)"
            for slot in try Directory.list(service).compactMap({ Int($0) }).sorted() {
                let instance = ServiceInstance(type, type.name, slot)
                guard let conninfo = type.name == TraceLedger.name ? conninfo : "" else { continue }
                let viewStore = RebuildPlace(instance, folder: "\(service)/\(slot)", conninfo: conninfo).viewStore
                for place in [ViewGeneration.next, .ready, .previous] {
                    guard let views = try viewStore.look(at: place) else { continue }
                    found.append(ViewsBeside(instance: instance, place: place, position: views.position))
                }
            }
        }
        return found
    }

    var sentence: String {
        switch place {
        case .next: "\(instance): views are rebuilt up to \(position); furrow rebuild \(instance) resumes."
        case .ready: "\(instance): views rebuilt up to \(position) wait for its next start."
        case .live, .taken, .previous: "\(instance): the former views are retained, up to \(position)."
        }
    }
}
