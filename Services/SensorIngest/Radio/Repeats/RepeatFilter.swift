public import Vocabulary

/// Tells news from repeats over many devices, purely: time comes in with the packet.
public struct RepeatFilter: Hashable, Sendable {
    private var memories: [DeviceID: RepeatMemory] = [:]
    private let most: Int

    public init() {
        self.init(most: Limits.devices)
    }

    /// - Parameter most: devices that are remembered; beyond it the longest silent half is forgotten.
    public init(most: Int) {
        self.most = most
    }

    /// What is remembered of one device; nil if nothing is.
    ///
    /// A view keeps it as `RepeatMemory.text`.
    public subscript(device: DeviceID) -> RepeatMemory? {
        get { memories[device] }
        set { memories[device] = newValue }
    }

    public var devices: some Collection<DeviceID> { memories.keys }

    /// Whether the packet is news at this time; if so it is remembered.
    public mutating func admits(_ key: RepeatKey, at time: Instant, by slot: Int = 0) -> Bool {
        let isNews = memories[key.device, default: RepeatMemory()].admits(key, at: time, by: slot)
        if memories.count > most { forgetSilentHalf() }
        return isNews
    }

    public mutating func admits(_ report: Report, at time: Instant) -> Bool {
        admits(report.repeatKey, at: time)
    }

    public mutating func admits(_ report: RawReport, at time: Instant) -> Bool {
        admits(report.repeatKey, at: time)
    }

    private mutating func forgetSilentHalf() {
        let silent = memories.map { (device: $0.key, latest: $0.value.latestMilliseconds) }
            .sorted { ($0.latest, $0.device) < ($1.latest, $1.device) }
        for entry in silent.prefix(most / 2) { memories[entry.device] = nil }
    }
}

// MARK: - As text

extension RepeatFilter {
    /// One line a device: its name, a tab, its memory.
    public var text: String {
        memories.sorted { $0.key < $1.key }.map { "\($0.key.rawValue)\t\($0.value.text)" }.joined(separator: "\n")
    }

    /// Reads what `text` wrote; nil for anything else.
    public init?(text: String) {
        self.init()
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, memories.count <= most, let memory = RepeatMemory(text: String(parts[1]))
            else { return nil }
            memories[DeviceID(String(parts[0]))] = memory
        }
    }
}
