import EventSourcing
import Vocabulary
import Wire

/// Reads a journal forwards and verifies its chain. Throws at an entry that is missing or is not what was written.
final class VerifyingReader: LogReader {
    private let reader: any LogReader
    private var place: (position: Position, hash: [UInt8])?

    init(_ reader: any LogReader) {
        self.reader = reader
    }

    func head() throws(LogFailure) -> Head { try reader.head() }

    func hash(at position: Position) throws(LogFailure) -> [UInt8]? { try reader.hash(at: position) }

    func position(of id: UUID) throws(LogFailure) -> Position? { try reader.position(of: id) }

    func read(from position: Position, events: Int, bytes: Int) throws(LogFailure) -> [Entry] {
        let before = position - 1
        if place?.position != before { place = try reader.hash(at: before).map { (before, $0) } }
        guard let place else { throw LogFailure(operation: "fold", message: "the journal ends before \(position)") }
        let page = try reader.read(from: position, events: events, bytes: bytes)
        if let broken = Chain.firstBreak(in: page, after: place.hash, at: before) {
            throw LogFailure.changed(try reader.head().feed, at: broken)
        }
        if let last = page.last { self.place = (last.position, last.hash) }
        return page
    }
}
