/// A place in a coordinator's memory.
public enum MemoryPlace: Hashable, Sendable {
    case item(UInt16)
    /// An entry of a table of Z-Stack 3.x.0.
    case entry(table: UInt16, UInt16)

    /// The place behind this one, where a table goes on.
    var next: MemoryPlace {
        switch self {
        case .item(let item): .item(item + 1)
        case .entry(let table, let entry): .entry(table: table, entry + 1)
        }
    }

    /// The most bytes of one request that writes (`MT_RPC_DATA_MAX` less the head).
    static let partBytes = 240
}
