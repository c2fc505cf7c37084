public import Vocabulary

/// An in-memory store that distinguishes new reports of many devices from repetitions, for captures and tests.
public struct RepeatFilter: ReportStore, Sendable {
    private struct Place: Hashable {
        let device: DeviceID
        let number: Int64
    }

    public static let windowSeconds: Int64 = 1800

    private var windows: [Place: ReportWindow] = [:]
    private var rebroadcasts: Rebroadcasts
    private let most: Int

    public init() {
        self.init(most: RadioLimits.devices)
    }

    /// - Parameter most: The most windows that are stored; beyond it the older half is dropped.
    public init(most: Int) {
        self.most = most
        rebroadcasts = Rebroadcasts(most: most)
    }

    public var count: Int { windows.count }

    public func window(_ number: Int64, of device: DeviceID) -> ReportWindow? {
        windows[Place(device: device, number: number)]
    }

    public mutating func put(_ window: ReportWindow, _ number: Int64, of device: DeviceID) {
        windows[Place(device: device, number: number)] = window
        guard windows.count > most else { return }
        let oldest = windows.keys.sorted { ($0.number, $0.device) < ($1.number, $1.device) }
        for place in oldest.prefix(most / 2) { windows[place] = nil }
    }

    public func clockOffset(of receiver: Receiver) -> Int64 { 0 }

    /// Returns whether the packet is a new report; if so, stores it.
    public mutating func admits(_ key: RepeatKey, at time: Instant, by source: String = "") -> Bool {
        let reception = Reception(Receiver(source, slot: 0), at: time)
        if rebroadcasts.isRebroadcast(key, reception) { return false }
        guard let match = find(key, reception) else {
            record(key, reception)
            return true
        }
        if !match.isRepetition { record(reception, of: match, key.device) }
        return false
    }

    public mutating func admits(_ report: Report, at time: Instant) -> Bool {
        admits(report.repeatKey, at: time)
    }

    public mutating func admits(_ report: RawReport, at time: Instant) -> Bool {
        admits(report.repeatKey, at: time)
    }
}
