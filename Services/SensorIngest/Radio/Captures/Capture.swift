/// Reads capture files: btsnoop (Bluetooth) and pcap (IEEE 802.15.4).
public enum Capture {
    /// The packets of a file, told by its first bytes.
    ///
    /// An unfinished last record is left out, as are records of other things and frames that were received wrongly.
    public static func read(_ bytes: [UInt8]) throws(Malformed) -> [CapturedFrame] {
        if bytes.starts(with: BTSnoop.magic) { return try BTSnoop.read(bytes) }
        if Pcap.recognises(bytes) { return try Pcap.read(bytes) }
        throw Malformed("neither btsnoop nor pcap", at: 0)
    }
}
