/// The reader of capture files: btsnoop (Bluetooth) and pcap (IEEE 802.15.4).
public enum Capture {
    /// Returns the packets of a file, whose format is recognised by its first bytes.
    ///
    /// Throws if the format is unknown. Omits an unfinished last record, records that are no packets, and frames with
    /// reception errors.
    ///
    /// ```
    /// var decoder = CaptureDecoder(advertisements: AdvertisementDecoder(keys: keys))
    /// for frame in try Capture.read(bytes) { reports += decoder.decode(frame).reports }
    /// ```
    public static func read(_ bytes: [UInt8]) throws(Malformed) -> [CapturedFrame] {
        if bytes.starts(with: BTSnoop.magic) { return try BTSnoop.read(bytes) }
        if Pcap.recognises(bytes) { return try Pcap.read(bytes) }
        throw Malformed("neither btsnoop nor pcap", at: 0)
    }
}
