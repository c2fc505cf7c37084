import EventSourcing
import EventStore
import HubStore
import TraceLedger
import Vocabulary

/// An archive without proofs: a simulation prints no labels and shows no passports.
struct NoArchive: Archive {
    private let disk: SimulatedDisk

    init(_ disk: SimulatedDisk) {
        self.disk = disk
    }

    let keys = CheckpointKeys(hub: "furrow/farm", vkey: "", spki: [])
    var hubPosition: Position { (disk.log as? MemoryHub)?.hubHead.position ?? 0 }

    func evidence(of event: UUID, since: UInt64?) -> EventProof? { nil }
    func signAtNextCommit() {}
    func checkpoint() -> String? { nil }
    func checkpoints(after size: UInt64) -> [(size: UInt64, note: String)] { [] }
    func tile(level: Int, index: UInt64, width: Int) -> [UInt8]? { nil }
    func entries(from first: Position, count: Int) -> [[UInt8]] { [] }
}
