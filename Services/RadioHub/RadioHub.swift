import BluetoothCentral
import SQLite
import System
import Telemetry
import Vocabulary

/// The event loop of a hub: what the controller receives is selected, stored and delivered.
struct RadioHub {
    private let options: RadioHubOptions
    private let log: Logger
    private let signals: SignalWatcher
    private let queue: ReportQueue
    private let delivery: FarmDelivery
    private let cameras: CameraDelivery?
    private let ranging: RangingDelivery?
    private var line: any RadioLine
    private var selection = ReportSelection()
    private var status = RadioHubStatus()
    private var receptions = BeaconReceptions()
    private var nextRanging: Int64 = 0
    /// Why the farm did not take the receptions of the last second; nil if it did.
    private var rangingTrouble: String?
    /// Reports that are not stored yet, and when the first of them came, in monotonic microseconds.
    private var group: [AdvertReport] = []
    private var groupBegan: Int64 = 0
    /// The batch that is being sent.
    private var sending: ReportQueue.Batch?
    private var pause = RetryPause(first: QueueLimits.pauseMicroseconds, longest: QueueLimits.longestPauseMicroseconds)
    private var clock = ClockWatch(real: Clock.realMicroseconds(), boot: Clock.bootMicroseconds())
    private var nextStatus: Int64 = 0
    private var nextTidying: Int64 = 0
    private var nextReport: Int64 = 0
    /// The trouble and the devices of the last report, whose change is reported at once.
    private var reported: [String] = []

    /// Opens the queue. Throws if the home cannot be used, or another hub uses it.
    init(_ options: RadioHubOptions, log: Logger) throws {
        self.options = options
        self.log = log
        signals = try SignalWatcher()
        try Directory.create(options.home, mode: 0o700)
        queue = try ReportQueue(path: options.home + "/queue.db")
        delivery = try FarmDelivery(farm: options.farm, token: options.token, authority: options.authority)
        cameras = try options.cameras.map { path in
            try CameraDelivery(
                CameraFolder(path: path), farm: options.farm, token: options.token, authority: options.authority,
                log: log)
        }
        ranging =
            try options.isRanging
            ? RangingDelivery(farm: options.farm, token: options.token, authority: options.authority) : nil
        line = options.controller.line(options.profiles)
    }

    /// Runs until a signal ends it. Throws if the queue cannot be written, which the supervisor restarts it after.
    mutating func run() throws {
        while true {
            let descriptors = [signals.descriptor, delivery.descriptor] + (line.descriptor.map { [$0] } ?? [])
            let ready = try Poll.wait(descriptors, milliseconds: group.isEmpty && receptions.isEmpty ? 1_000 : 250)
            let now = Clock.monotonicMicroseconds()
            if ready.contains(signals.descriptor), !Set(signals.drain()).isDisjoint(with: [.terminate, .interrupt]) {
                line.end(at: now)
                cameras?.end()
                ranging?.end()
                if let state = cameras?.takeState() { status.cameras = state }
                try store()
                try writeStatus(at: now)
                return
            }
            try noticeClock()
            let isReadable = line.descriptor.map(ready.contains) ?? false
            take((isReadable ? line.receive(at: now) : []) + line.tick(at: now), at: now)
            if !group.isEmpty, group.count >= QueueLimits.group || now - groupBegan >= QueueLimits.groupMicroseconds {
                try store()
            }
            range(at: now)
            for outcome in delivery.takeOutcomes() { try settle(outcome, at: now) }
            if let state = cameras?.takeState() { status.cameras = state }
            try tidy(at: now)
            try sendNext(at: now)
            if now >= nextStatus { try writeStatus(at: now) }
        }
    }

    /// Corrects the times of reports that were received before the clock was set.
    private mutating func noticeClock() throws(SQLiteError) {
        guard let difference = clock.difference(real: Clock.realMicroseconds(), boot: Clock.bootMicroseconds()) else {
            return
        }
        try store()
        try queue.shift(byMicroseconds: difference)
        log.notice("clock was set", ["clock.seconds": "\(difference / 1_000_000)"])
    }

    private mutating func take(_ events: [CentralEvent], at now: Int64) {
        let time = Instant(microseconds: Clock.realMicroseconds())
        for event in events {
            switch event {
            case .heard(let advertisement):
                if ranging != nil { receptions.take(advertisement, at: time) }
                keep(selection.report(advertisement, at: time, now: now), at: now)
            case .value(let value): keep(selection.report(value, at: time, now: now), at: now)
            case .started: log.notice("controller started", ["controller.path": "\(options.controller)"])
            case .connected(let peer, let profile):
                log.notice("device connected", ["device.address": peer.text, "device.profile": profile])
            case .disconnected(let peer, let reason):
                log.notice("device disconnected", ["device.address": peer.text, "reason": reason])
            case .failed(let reason): log.warning("controller failed", ["reason": reason])
            }
        }
    }

    /// Counts the outcomes of the batches of beacon signals that were sent to the farm, and starts the next one.
    private mutating func range(at now: Int64) {
        guard let ranging else { return }
        for outcome in ranging.takeOutcomes() {
            switch outcome {
            case .accepted:
                status.rangedSeconds += 1
                rangingTrouble = nil
            case .lost(let reason):
                status.lostSeconds += 1
                if rangingTrouble != reason { log.warning("receptions of beacons lost", ["reason": reason]) }
                rangingTrouble = reason
            }
        }
        guard !receptions.isEmpty, now >= nextRanging else { return }
        nextRanging = now + QueueLimits.rangingMicroseconds
        if !ranging.send(receptions.takeBody()) { status.lostSeconds += 1 }
    }

    private mutating func keep(_ report: AdvertReport?, at now: Int64) {
        guard let report else { return }
        if group.isEmpty { groupBegan = now }
        group.append(report)
    }

    private mutating func store() throws(SQLiteError) {
        guard !group.isEmpty else { return }
        try queue.add(group)
        status.received += group.count
        group = []
    }

    private mutating func sendNext(at now: Int64) throws(SQLiteError) {
        guard sending == nil, pause.isOver(at: now), let batch = try queue.next() else { return }
        sending = batch
        delivery.send(batch)
    }

    private mutating func settle(_ outcome: FarmDelivery.Outcome, at now: Int64) throws(SQLiteError) {
        guard let batch = sending else { return }
        sending = nil
        switch outcome {
        case .accepted:
            try queue.settle(batch)
            if status.farm != nil { log.notice("farm reached again") }
            (status.farm, status.delivered) = (nil, status.delivered + batch.reports.count)
            pause.succeed()
        case .refused(let reason):
            try queue.setAside(batch, because: reason)
            log.error("farm refused reports", ["reason": reason, "report.count": "\(batch.reports.count)"])
        case .failed(let reason):
            if status.farm != reason { log.warning("farm not reached", ["reason": reason]) }
            status.farm = reason
            pause.fail(at: now)
        }
    }

    private mutating func tidy(at now: Int64) throws(SQLiteError) {
        guard now >= nextTidying else { return }
        nextTidying = now + QueueLimits.tidyMicroseconds
        let time = Instant(microseconds: Clock.realMicroseconds())
        let removed = try queue.tidy(before: time.advanced(bySeconds: -86_400 * Double(QueueLimits.days)))
        guard removed > 0 else { return }
        status.removed += removed
        log.error("reports removed that are older than a week or too many", ["report.count": "\(removed)"])
    }

    private mutating func writeStatus(at now: Int64) throws {
        nextStatus = now + QueueLimits.statusMicroseconds
        (status.waiting, status.oldest) = try queue.waiting()
        status.refused = try queue.refused()
        status.controller = line.trouble
        status.omittedReceptions = receptions.omitted
        status.connected = line.connected.map(\.text)
        status.at = Instant(microseconds: Clock.realMicroseconds())
        try File.writeAtomically(RadioHubStatus.path(in: options.home), status.json)
        let state = [status.controller ?? ""] + status.connected
        guard now >= nextReport || state != reported else { return }
        nextReport = now + QueueLimits.reportMicroseconds
        reported = state
        delivery.report(status.report)
    }
}
