public import Vocabulary

/// One advertisement as received from a Bluetooth controller or a gateway.
public struct Advertisement: Hashable, Sendable {
    /// 48 bits, the first printed byte highest; nil if the receiver does not learn it (phones).
    public var address: UInt64?
    public var isRandomAddress: Bool
    public var isScanResponse: Bool
    public var isExtended: Bool
    /// More data follows in another report, or was cut off by the controller.
    public var isIncomplete: Bool
    /// The controller has cut off data, and no report with the rest will follow.
    public var isTruncated: Bool
    /// The sender's advertising set; nil for legacy advertising.
    public var set: UInt8?
    /// Signal strength in dBm; nil if the controller could not measure it (127).
    public var rssi: Int?
    /// Advertising data: AD structures (Bluetooth Core, volume 3, part C, section 11).
    public var data: [UInt8]

    public init(
        address: UInt64?, isRandomAddress: Bool = false, isScanResponse: Bool = false, isExtended: Bool = false,
        isIncomplete: Bool = false, isTruncated: Bool = false, set: UInt8? = nil, rssi: Int? = nil, data: [UInt8]
    ) {
        self.address = address
        self.isRandomAddress = isRandomAddress
        self.isScanResponse = isScanResponse
        self.isExtended = isExtended
        self.isIncomplete = isIncomplete
        self.isTruncated = isTruncated
        self.set = set
        self.rssi = rssi
        self.data = data
    }

    public var device: DeviceID { address.map(DeviceID.bluetooth) ?? .unknownBluetooth }
}
