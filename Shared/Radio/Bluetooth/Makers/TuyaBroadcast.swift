/// Tuya's Bluetooth sensors, in the service data of 0xA201 or 0xFD50, or in the manufacturer data of company 0x07D0.
///
/// What they send is encrypted with a key that only the maker's cloud gives out.
enum TuyaBroadcast {
    static let company: UInt16 = 0x07D0
    static let service: UInt16 = 0xA201

    static func sealed(at offset: Int) -> Malformed {
        Malformed("encrypted with a key of Tuya's cloud", at: offset, isSealed: true)
    }
}
