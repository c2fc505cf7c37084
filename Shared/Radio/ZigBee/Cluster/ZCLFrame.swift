/// One frame of the ZigBee Cluster Library: its header and its payload.
public struct ZCLFrame: Hashable, Sendable {
    /// The commands common to all clusters, as far as they are used.
    public enum Command {
        public static let readAttributes: UInt8 = 0x00
        public static let readAttributesResponse: UInt8 = 0x01
        public static let writeAttributes: UInt8 = 0x02
        public static let writeAttributesResponse: UInt8 = 0x04
        public static let configureReporting: UInt8 = 0x06
        public static let configureReportingResponse: UInt8 = 0x07
        public static let reportAttributes: UInt8 = 0x0A
        public static let defaultResponse: UInt8 = 0x0B
    }

    /// Whether the command belongs to the cluster; otherwise it is common to all clusters.
    public var isClusterSpecific: Bool
    public var manufacturer: UInt16?
    public var isFromServer: Bool
    /// Whether the sender requests no default response.
    public var disablesDefaultResponse: Bool
    public var transaction: UInt8
    public var command: UInt8
    public var payload: [UInt8]

    public init(
        isClusterSpecific: Bool = false, manufacturer: UInt16? = nil, isFromServer: Bool = false,
        disablesDefaultResponse: Bool = true, transaction: UInt8, command: UInt8, payload: [UInt8]
    ) {
        self.isClusterSpecific = isClusterSpecific
        self.manufacturer = manufacturer
        self.isFromServer = isFromServer
        self.disablesDefaultResponse = disablesDefaultResponse
        self.transaction = transaction
        self.command = command
        self.payload = payload
    }

    public init(_ bytes: [UInt8]) throws(Malformed) {
        var reader = ByteReader(bytes)
        let control = try reader.u8()
        guard control & 0xE3 < 2 else { throw Malformed("no such ZCL frame type", at: 0) }
        isClusterSpecific = control & 3 == 1
        manufacturer = control & 0x04 != 0 ? try reader.u16() : nil
        isFromServer = control & 0x08 != 0
        disablesDefaultResponse = control & 0x10 != 0
        transaction = try reader.u8()
        command = try reader.u8()
        payload = reader.rest
    }

    public var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.u8(
            (isClusterSpecific ? 0x01 : 0) | (manufacturer != nil ? 0x04 : 0) | (isFromServer ? 0x08 : 0)
                | (disablesDefaultResponse ? 0x10 : 0))
        if let manufacturer { writer.u16(manufacturer) }
        writer.append([transaction, command])
        writer.append(payload)
        return writer.bytes
    }

    /// The number of bytes before the payload.
    var headerLength: Int { manufacturer == nil ? 3 : 5 }

    public var isReport: Bool { !isClusterSpecific && command == Command.reportAttributes }

    /// Returns the default response that the sender of this command expects; nil if it expects none.
    ///
    /// Some devices leave the network if they never receive one. A caller must not respond to a broadcast, which this
    /// type does not recognise.
    public func defaultResponse(status: UInt8 = 0) -> ZCLFrame? {
        guard !disablesDefaultResponse, isClusterSpecific || command != Command.defaultResponse else { return nil }
        return ZCLFrame(
            manufacturer: manufacturer, isFromServer: !isFromServer, disablesDefaultResponse: true,
            transaction: transaction, command: Command.defaultResponse, payload: [command, status])
    }
}
