import EventSourcing
import EventStore
import Host
import System

/// The slots with journals that no process runs, and those of them that this process serves.
///
/// An error of one slot does not affect the others.
struct OrphanSlots {
    /// Starts to serve a journal; returns the function that stops it.
    typealias Serve = (_ journal: String) throws -> () -> Void

    private let folder: String
    private let own: Int
    private var freeSince: [Int: Int64] = [:]
    private var settled: [Int: Position] = [:]
    private var served: [Int: ServedSlot] = [:]
    private var errorReporter: ErrorReporter

    /// Microseconds that a slot must be free before it is served, because its process may only be restarting.
    static let freeMicroseconds: Int64 = 5_000_000

    /// A slot that is served.
    private struct ServedSlot {
        let slot: Slot
        let head: Position
        let stop: () -> Void
    }

    init(in folder: String, besides own: Int, errorReporter: ErrorReporter) {
        self.folder = folder
        self.own = own
        self.errorReporter = errorReporter
    }

    var isServing: Bool { !served.isEmpty }

    /// Returns the slots with a journal that have been free for long enough. `now` is monotonic time in microseconds.
    mutating func free(at now: Int64) throws(SystemError) -> [Int] {
        let numbers = try Directory.list(folder).compactMap { Int($0) }
        return numbers.filter { number in
            guard number != own, served[number] == nil, File.exists(journal(number)) else { return false }
            do {
                // The lock is released at once: this is only a check.
                guard try Slot.take(number, below: folder) != nil else {
                    freeSince[number] = nil
                    return false
                }
            } catch {
                errorReporter.take(error, of: number)
                return false
            }
            let since = freeSince[number] ?? now
            freeSince[number] = since
            return now - since >= Self.freeMicroseconds
        }
    }

    /// Releases the slots that the hub has read to their end, and serves the free ones that it has not.
    mutating func tend(_ free: [Int], read: [Int: Position], serve: Serve) {
        for (number, servedSlot) in served where (read[number] ?? 0) >= servedSlot.head {
            servedSlot.stop()
            settled[number] = servedSlot.head
            served[number] = nil
        }
        for number in free where served[number] == nil {
            do {
                served[number] = try startServing(number, read: read[number] ?? 0, serve)
                errorReporter.take(nil, of: number)
            } catch {
                errorReporter.take(error, of: number)
            }
        }
    }

    private func startServing(_ number: Int, read: Position, _ serve: Serve) throws -> ServedSlot? {
        let head = try SQLiteReader(path: journal(number)).head().position
        guard read < head, head != settled[number], let slot = try Slot.take(number, below: folder) else { return nil }
        return ServedSlot(slot: slot, head: head, stop: try serve(journal(number)))
    }

    private func journal(_ number: Int) -> String { "\(folder)/\(number)/\(SQLiteLog.fileName)" }
}

/// Reports an error of a slot, or of all of them, once until it changes.
struct ErrorReporter {
    private var reported: [Int?: String] = [:]
    private let report: (_ slot: Int?, _ reason: String) -> Void

    init(report: @escaping (_ slot: Int?, _ reason: String) -> Void) {
        self.report = report
    }

    /// Reports `error` if it differs from the slot's last one; nil means that there is none any more.
    mutating func take(_ error: (any Error)?, of slot: Int?) {
        let reason = error.map { "\($0)" }
        defer { reported[slot] = reason }
        if let reason, reported[slot] != reason { report(slot, reason) }
    }
}
