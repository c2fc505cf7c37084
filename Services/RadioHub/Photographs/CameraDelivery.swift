import HTTP
import JSON
import System
import Telemetry
import Vocabulary

/// Sends the pictures of a folder to a farm, one after the other, on a thread of its own.
///
/// The farm knows a picture by its bytes and place. So one that is sent again, because the answer was lost, is recorded
/// once.
final class CameraDelivery: Sendable {
    private let states: Mailbox<CameraState>
    private let ends: Mailbox<Bool>
    private let worker: Worker

    init(_ folder: CameraFolder, farm: String, token: String, authority: String?, log: Logger) throws(SystemError) {
        let states = try Mailbox<CameraState>(capacity: 16)
        let ends = try Mailbox<Bool>(capacity: 1)
        (self.states, self.ends) = (states, ends)
        worker = try Worker(name: "cameras") {
            var round = CameraRound(
                folder: folder, farm: farm, token: token, client: HTTPClient(caFile: authority), log: log)
            while !Self.isEnded(ends, after: round.isCut ? 0 : CameraLimits.searchMicroseconds) {
                round.send(until: { Self.isEnded(ends, after: 0) })
                _ = states.push(round.state)
            }
        }
    }

    /// Returns whether the thread is to end, at the latest after a pause in microseconds.
    private static func isEnded(_ ends: Mailbox<Bool>, after pause: Int64) -> Bool {
        do throws(SystemError) {
            return try !Poll.wait([ends.descriptor], milliseconds: Int(pause / 1_000)).isEmpty
        } catch {
            return true
        }
    }

    /// Returns the newest state; nil if there is none since the last call.
    func takeState() -> CameraState? { states.drain().last }

    /// Ends the thread once its request has ended.
    func end() {
        _ = ends.push(true)
        worker.join()
    }
}

/// What a hub does with the pictures of its folder.
struct CameraState: Hashable, Sendable, JSONReadable, JSONWritable {
    /// Pictures that the farm has not recorded yet, as far as the last search found them.
    var waiting = 0
    /// Pictures since the start that were recorded, and that the farm refused.
    var delivered = 0
    var refused = 0
    /// Why the last picture was not recorded; nil if it was.
    var trouble: String?

    init() {}

    init(json: borrowing JSONValue) throws(JSONError) {
        waiting = try json.get("waiting")
        delivered = try json.get("delivered")
        refused = try json.get("refused")
        trouble = try json.find("trouble")
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("waiting", waiting)
            json.member("delivered", delivered)
            json.member("refused", refused)
            json.member("trouble", ifPresent: trouble)
        }
    }
}

/// One search and delivery after the other.
struct CameraRound {
    let folder: CameraFolder
    let farm: String
    let token: String
    let client: HTTPClient
    let log: Logger
    private(set) var state = CameraState()
    /// Until when nothing is sent of a place that the farm does not know, in monotonic microseconds.
    private var unknown: [Place: Int64] = [:]
    /// Whether the folder has more pictures than one search returns.
    private(set) var isCut = false
    private var pause = RetryPause(first: QueueLimits.pauseMicroseconds, longest: QueueLimits.longestPauseMicroseconds)

    init(folder: CameraFolder, farm: String, token: String, client: HTTPClient, log: Logger) {
        self.folder = folder
        self.farm = farm
        self.token = token
        self.client = client
        self.log = log
    }

    /// Sends what is in the folder, until the farm does not accept one.
    mutating func send(until isEnded: () -> Bool) {
        do throws(SystemError) {
            let found = try folder.search(at: Clock.realMicroseconds())
            isCut = false
            state.waiting = found.files.count
            guard pause.isOver(at: Clock.monotonicMicroseconds()) else { return }
            let now = Clock.monotonicMicroseconds()
            for file in found.files where unknown[file.place].map({ $0 <= now }) ?? true {
                guard !isEnded(), try send(file) else { return }
            }
            isCut = found.isCut
        } catch {
            note("\(error)")
        }
    }

    /// Returns whether the next picture can be sent.
    private mutating func send(_ file: CameraFile) throws(SystemError) -> Bool {
        guard let (bytes, written) = try folder.read(file) else {
            // It is gone, or larger than the farm accepts.
            if try File.kind("\(folder.path)/\(file.path)") != nil {
                try refuse(file, "it is larger than \(CameraLimits.bytes >> 20) MiB")
            }
            return true
        }
        let taken = min(written, Instant(microseconds: Clock.realMicroseconds()))
        let headers = [("Authorization", "Bearer \(token)"), ("Content-Type", "application/octet-stream")]
        switch answer(to: bytes, file.target(taken: taken), headers) {
        case .accepted:
            try folder.remove(file)
            unknown[file.place] = nil
            state.delivered += 1
            state.waiting -= 1
            if unknown.isEmpty {
                if state.trouble != nil { log.notice("farm takes pictures again") }
                state.trouble = nil
            }
            pause.succeed()
            return true
        case .refused(let reason):
            try refuse(file, reason)
            return true
        case .failed(let reason) where reason.hasPrefix("404"):
            // A place that is not created yet must not hold up the others.
            unknown[file.place] = Clock.monotonicMicroseconds() + CameraLimits.unknownMicroseconds
            note(reason)
            return true
        case .failed(let reason):
            note(reason)
            pause.fail(at: Clock.monotonicMicroseconds())
            return false
        }
    }

    private func answer(
        to picture: [UInt8], _ target: String, _ headers: [(String, String)]
    ) -> FarmDelivery.Outcome {
        do throws(HTTPError) {
            let response = try client.send(
                "POST", farm + target, headers: headers, body: picture, timeoutSeconds: QueueLimits.requestSeconds)
            // The farm answers 201 to a new picture.
            return FarmDelivery.outcome(status: response.status == 201 ? 200 : response.status, body: response.body)
        } catch {
            return .failed(error.message)
        }
    }

    private mutating func refuse(_ file: CameraFile, _ reason: String) throws(SystemError) {
        try folder.setAside(file)
        state.refused += 1
        state.waiting -= 1
        log.error("farm refused a picture", ["reason": reason, "file.path": file.path])
    }

    private mutating func note(_ reason: String) {
        if state.trouble != reason { log.warning("picture not delivered", ["reason": reason]) }
        state.trouble = reason
    }
}
