/// The reports of one device that were first received within one window of time, with all their receptions.
///
/// Its text form is exact: a window read back gives the same decisions as the original.
public struct ReportWindow: Hashable, Sendable {
    struct Entry: Hashable, Sendable {
        let rule: RepeatRule
        let counter: UInt64?
        let digest: UInt32
        let first: Reception
        /// Further receptions of the same packet, one for each receiver.
        var others: [Reception] = []
    }

    /// The maximum number of reports; beyond it the earliest recorded one is dropped.
    public static let most = 4096
    /// The maximum number of receivers of one report.
    public static let mostReceivers = 16

    private(set) var entries: [Entry] = []

    /// Creates an empty window.
    public init() {}

    /// The number of reports.
    public var count: Int { entries.count }

    /// The memory that it takes, in rows of a view table: eight reports count as one row.
    public var weight: Int { 1 + entries.count / 8 }

    mutating func add(_ key: RepeatKey, _ reception: Reception) {
        entries.append(
            Entry(rule: key.effectiveRule, counter: key.counter, digest: key.digest, first: reception))
        if entries.count > Self.most { entries.removeFirst() }
    }

    /// Adds a further reception of a report; returns false if it has too many already.
    mutating func add(_ reception: Reception, to index: Int) -> Bool {
        guard entries[index].others.count + 1 < Self.mostReceivers else { return false }
        entries[index].others.append(reception)
        return true
    }

    /// Returns the index of the report with this counter, payload and time of its first reception.
    func index(of key: RepeatKey, firstHeard time: Instant) -> Int? {
        let (rule, counter, digest) = (key.effectiveRule, key.counter, key.digest)
        return entries.indices.last { index in
            entries[index].digest == digest && entries[index].first.time == time && entries[index].counter == counter
                && entries[index].rule == rule
        }
    }

    /// Returns whether the window contains a report with this counter.
    public func holds(counter: UInt64) -> Bool {
        entries.indices.contains { entries[$0].counter == counter }
    }
}

// MARK: - As text

extension ReportWindow {
    /// The receptions in base 64 (URL alphabet).
    ///
    /// First the receivers (slot, name), then each entry: rule and number of further receptions, counter, digest, time
    /// since the previous entry, receiver; then its further receptions by time since the first.
    public var text: String {
        var receivers: [Receiver] = []
        var places: [Receiver: Int] = [:]
        for entry in entries {
            for reception in [entry.first] + entry.others where places[reception.receiver] == nil {
                places[reception.receiver] = receivers.count
                receivers.append(reception.receiver)
            }
        }
        var bytes = VarintWriter()
        bytes.unsigned(UInt64(receivers.count))
        for receiver in receivers { bytes.unsigned(UInt64(receiver.slot) << 32 | UInt64(receiver.name)) }
        var last: Int64 = 0
        for entry in entries {
            bytes.unsigned(
                UInt64(entry.others.count) << 4 | (entry.counter == nil ? 0 : 8) | UInt64(entry.rule.rawValue))
            if let counter = entry.counter { bytes.unsigned(counter) }
            bytes.unsigned(UInt64(entry.digest))
            bytes.signed(entry.first.time.microseconds &- last)
            last = entry.first.time.microseconds
            bytes.unsigned(UInt64(places[entry.first.receiver] ?? 0))
            for other in entry.others {
                bytes.signed(other.time.microseconds &- last)
                bytes.unsigned(UInt64(places[other.receiver] ?? 0))
            }
        }
        return BaseEncoding.base64url.encode(bytes.bytes)
    }

    /// Reads the format of `text`; nil for anything else.
    public init?(text: String) {
        guard let bytes = BaseEncoding.base64url.decode(text) else { return nil }
        guard !bytes.isEmpty else { return }
        var reader = VarintReader(bytes)
        guard let count = reader.unsigned(), count <= UInt64(bytes.count) else { return nil }
        var receivers: [Receiver] = []
        for _ in 0..<count {
            guard let number = reader.unsigned(), number >> 40 == 0 else { return nil }
            receivers.append(
                Receiver(slot: UInt8(truncatingIfNeeded: number >> 32), name: UInt32(truncatingIfNeeded: number)))
        }
        var last: Int64 = 0
        while !reader.isAtEnd {
            guard entries.count < Self.most, let entry = Entry(&reader, receivers, &last) else { return nil }
            entries.append(entry)
        }
    }
}

extension ReportWindow.Entry {
    fileprivate init?(_ reader: inout VarintReader, _ receivers: [Receiver], _ last: inout Int64) {
        guard let head = reader.unsigned(), let rule = RepeatRule(rawValue: UInt8(head & 7)),
            head >> 4 < UInt64(ReportWindow.mostReceivers)
        else { return nil }
        var counter: UInt64?
        if head & 8 != 0 {
            guard let number = reader.unsigned() else { return nil }
            counter = number
        }
        guard let digest = reader.unsigned().flatMap({ UInt32(exactly: $0) }),
            let first = Reception(&reader, receivers, since: last)
        else { return nil }
        self.init(rule: rule, counter: counter, digest: digest, first: first)
        last = first.time.microseconds
        for _ in 0..<(head >> 4) {
            guard let other = Reception(&reader, receivers, since: last) else { return nil }
            others.append(other)
        }
    }
}

extension Reception {
    fileprivate init?(_ reader: inout VarintReader, _ receivers: [Receiver], since last: Int64) {
        guard let step = reader.signed(), let place = reader.unsigned(), place < UInt64(receivers.count)
        else { return nil }
        self.init(receivers[Int(place)], at: Instant(microseconds: last &+ step))
    }
}
