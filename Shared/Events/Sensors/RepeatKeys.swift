public import Vocabulary

// The keys by which copies of a report are recognised.
extension Measured {
    /// The key of the report; nil if it was written by a version with other rules.
    public var repeatKey: RepeatKey? {
        RepeatKey(device: device, rule: repeats, counter: counter, payload: payload)
    }
}

extension ReportHeard {
    /// The key of the recorded report; nil if it was written by a version with other rules.
    public var repeatKey: RepeatKey? {
        RepeatKey(device: device, rule: repeats, counter: counter, payload: payload)
    }
}

extension RepeatKey {
    /// Reads the key's parts as events have them; nil if the rule is unknown or `payload` is not hexadecimal.
    fileprivate init?(device: DeviceID, rule: Int, counter: UInt64?, payload: String) {
        guard let rule = UInt8(exactly: rule).flatMap(RepeatRule.init(rawValue:)), let bytes = Hex.decode(payload)
        else { return nil }
        self.init(device: device, rule: rule, counter: counter, payload: bytes)
    }
}
