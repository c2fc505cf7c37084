/// The messages that devices send and receive through the coordinator (MT_AF).
public enum FrameworkMessage: Hashable, Sendable {
    case register(EndpointDescription)
    case registered(status: UInt8)
    case send(OutgoingMessage)
    case accepted(status: UInt8)
    /// Sends a message also to the device object of a device, endpoint 0.
    case sendExtended(OutgoingMessage)
    case acceptedExtended(status: UInt8)
    /// Whether a sent message was delivered: 0, else an error such as 0xCD (no route) or 0xE9 (no acknowledgement).
    case confirmed(status: UInt8, endpoint: UInt8, transaction: UInt8)
    case incoming(IncomingMessage)
    /// Fetches the rest of an extended message from the coordinator; a length of zero discards it.
    case retrieve(timestamp: UInt32, index: UInt16, length: UInt8)
    case retrieved(status: UInt8, data: [UInt8])

    /// An endpoint of the coordinator, with its clusters.
    public struct EndpointDescription: Hashable, Sendable {
        public var endpoint: UInt8
        public var profile: UInt16
        public var device: UInt16
        public var version: UInt8
        public var latency: UInt8
        public var inputs: [UInt16]
        public var outputs: [UInt16]

        public init(
            endpoint: UInt8, profile: UInt16, device: UInt16, version: UInt8 = 0, latency: UInt8 = 0, inputs: [UInt16],
            outputs: [UInt16]
        ) {
            self.endpoint = endpoint
            self.profile = profile
            self.device = device
            self.version = version
            self.latency = latency
            self.inputs = inputs
            self.outputs = outputs
        }
    }

    /// A message to one device.
    public struct OutgoingMessage: Hashable, Sendable {
        public var destination: UInt16
        public var destinationEndpoint: UInt8
        public var sourceEndpoint: UInt8
        public var cluster: UInt16
        public var transaction: UInt8
        /// 0x10 requests an acknowledgement, 0x20 discovers a route, 0x40 encrypts in the application layer.
        public var options: UInt8
        public var radius: UInt8
        public var data: [UInt8]

        public init(
            destination: UInt16, destinationEndpoint: UInt8, sourceEndpoint: UInt8, cluster: UInt16,
            transaction: UInt8, options: UInt8 = 0x10, radius: UInt8 = 30, data: [UInt8]
        ) {
            self.destination = destination
            self.destinationEndpoint = destinationEndpoint
            self.sourceEndpoint = sourceEndpoint
            self.cluster = cluster
            self.transaction = transaction
            self.options = options
            self.radius = radius
            self.data = data
        }
    }

    /// Returns nil if the frame is another message of the framework.
    init?(_ frame: UNPIFrame) throws(Malformed) {
        var reader = ByteReader(frame.data)
        switch frame.code {
        case 0x2400: self = .register(try EndpointDescription(&reader))
        case 0x6400: self = .registered(status: try reader.u8())
        case 0x2401: self = .send(try OutgoingMessage(&reader))
        case 0x6401: self = .accepted(status: try reader.u8())
        case 0x2402 where frame.data.first == OutgoingMessage.shortAddress:
            self = .sendExtended(try OutgoingMessage(extended: &reader))
        case 0x6402: self = .acceptedExtended(status: try reader.u8())
        case 0x4480:
            self = .confirmed(status: try reader.u8(), endpoint: try reader.u8(), transaction: try reader.u8())
        case 0x4481: self = .incoming(try IncomingMessage(plain: &reader))
        case 0x4482: self = .incoming(try IncomingMessage(extended: &reader))
        case 0x2412:
            self = .retrieve(timestamp: try reader.u32(), index: try reader.u16(), length: try reader.u8())
        case 0x6412:
            let status = try reader.u8()
            self = .retrieved(status: status, data: try reader.take(Int(try reader.u8())))
        default: return nil
        }
    }

    var frame: UNPIFrame {
        switch self {
        case .register(let endpoint): return UNPIFrame(0x2400, endpoint.bytes)
        case .registered(let status): return UNPIFrame(0x6400, [status])
        case .send(let message): return UNPIFrame(0x2401, message.bytes)
        case .accepted(let status): return UNPIFrame(0x6401, [status])
        case .sendExtended(let message): return UNPIFrame(0x2402, message.extendedBytes)
        case .acceptedExtended(let status): return UNPIFrame(0x6402, [status])
        case .confirmed(let status, let endpoint, let transaction):
            return UNPIFrame(0x4480, [status, endpoint, transaction])
        case .incoming(let message): return UNPIFrame(message.isExtended ? 0x4482 : 0x4481, message.bytes)
        case .retrieve(let timestamp, let index, let length):
            var data = ByteWriter()
            data.u32(timestamp)
            data.u16(index)
            data.u8(length)
            return UNPIFrame(0x2412, data.bytes)
        case .retrieved(let status, let data): return UNPIFrame(0x6412, [status, UInt8(clamping: data.count)] + data)
        }
    }
}

extension FrameworkMessage.EndpointDescription {
    fileprivate init(_ reader: inout ByteReader) throws(Malformed) {
        self.init(
            endpoint: try reader.u8(), profile: try reader.u16(), device: try reader.u16(), version: try reader.u8(),
            latency: try reader.u8(), inputs: try reader.list(), outputs: try reader.list())
    }

    fileprivate var bytes: [UInt8] {
        var data = ByteWriter()
        data.u8(endpoint)
        data.u16(profile)
        data.u16(device)
        data.u8(version)
        data.u8(latency)
        data.list(inputs)
        data.list(outputs)
        return data.bytes
    }
}

extension FrameworkMessage.OutgoingMessage {
    fileprivate init(_ reader: inout ByteReader) throws(Malformed) {
        self.init(
            destination: try reader.u16(), destinationEndpoint: try reader.u8(), sourceEndpoint: try reader.u8(),
            cluster: try reader.u16(), transaction: try reader.u8(), options: try reader.u8(),
            radius: try reader.u8(), data: try reader.take(Int(try reader.u8())))
    }

    fileprivate var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.u16(destination)
        writer.u8(destinationEndpoint)
        writer.u8(sourceEndpoint)
        writer.u16(cluster)
        writer.append([transaction, options, radius, UInt8(clamping: data.count)])
        writer.append(data)
        return writer.bytes
    }

    /// The mode of an extended request whose destination is a short address.
    fileprivate static let shortAddress: UInt8 = 2

    fileprivate init(extended reader: inout ByteReader) throws(Malformed) {
        try reader.skip(1)
        let destination = try reader.u16()
        try reader.skip(6)
        let destinationEndpoint = try reader.u8()
        try reader.skip(2)
        self.init(
            destination: destination, destinationEndpoint: destinationEndpoint, sourceEndpoint: try reader.u8(),
            cluster: try reader.u16(), transaction: try reader.u8(), options: try reader.u8(),
            radius: try reader.u8(), data: try reader.take(Int(try reader.u16())))
    }

    fileprivate var extendedBytes: [UInt8] {
        var writer = ByteWriter()
        writer.u8(Self.shortAddress)
        writer.u64(UInt64(destination))
        writer.u8(destinationEndpoint)
        // The network of the coordinator itself.
        writer.u16(0)
        writer.u8(sourceEndpoint)
        writer.u16(cluster)
        writer.append([transaction, options, radius])
        writer.u16(UInt16(clamping: data.count))
        writer.append(data)
        return writer.bytes
    }
}

extension ByteReader {
    /// Reads a count of one byte, then two bytes per value.
    mutating func list() throws(Malformed) -> [UInt16] {
        let count = Int(try u8())
        try need(2 * count)
        var values: [UInt16] = []
        for _ in 0..<count { values.append(try u16()) }
        return values
    }
}
