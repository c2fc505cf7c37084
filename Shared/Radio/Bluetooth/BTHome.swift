import Vocabulary

/// BTHome, version 2 (service data of 0xFCD2) and version 1 (0x181C, encrypted 0x181E); bthome.io.
enum BTHome {
    static let service: UInt16 = 0xFCD2
    static let firstService: UInt16 = 0x181C
    static let firstSealedService: UInt16 = 0x181E

    /// Reads version 2: an information byte, an optional address, then objects with ascending numbers.
    ///
    /// An unknown object ends the reading, because its length is unknown. The objects before it are included.
    static func read(_ body: ByteReader, _ sender: BluetoothSender) throws(Malformed) -> DecodedInput {
        let start = body.offset
        var body = body
        let fingerprint = body.rest
        let information = try body.u8()
        guard information >> 5 == 2 else { throw Malformed("no such BTHome version", at: start) }
        var sender = sender
        if information & 0x02 != 0 { sender.address = try body.u48() }
        var report = Report(
            device: sender.device, protocolName: "bthome2", repeats: .packetID, fingerprint: fingerprint,
            rssi: sender.rssi)
        guard information & 0x01 != 0 else {
            try refuseOpen(sender, at: start)
            return objects(body, into: report)
        }

        guard body.remaining >= 8, let address = sender.addressBytes else {
            throw Malformed("too short for an encrypted BTHome packet", at: body.offset)
        }
        let ciphertext = try body.take(body.remaining - 8)
        let counter = try body.take(4)
        let nonce = address + [0xD2, 0xFC, information] + counter
        let sealed = SealedPayload(nonce: nonce, ciphertext: ciphertext, tag: try body.take(4))
        let plain = try sealed.open(sender.key, at: start)
        report.repeats = .rising
        report.counter = number(counter)
        return objects(ByteReader(plain), into: report)
    }

    /// Reads version 1: each object begins with its length (5 bits) and format (3 bits), then its number.
    static func readFirst(_ body: ByteReader, _ sender: BluetoothSender) throws(Malformed) -> DecodedInput {
        try refuseOpen(sender, at: body.offset)
        let report = Report(
            device: sender.device, protocolName: "bthome1", repeats: .packetID, fingerprint: body.rest,
            rssi: sender.rssi)
        return firstObjects(body, into: report)
    }

    /// Reads an encrypted packet of version 1.
    static func readFirstSealed(_ body: ByteReader, _ sender: BluetoothSender) throws(Malformed) -> DecodedInput {
        let start = body.offset
        var body = body
        var report = Report(
            device: sender.device, protocolName: "bthome1", repeats: .rising, fingerprint: body.rest,
            rssi: sender.rssi)
        guard body.remaining >= 8, let address = sender.addressBytes else {
            throw Malformed("too short for an encrypted BTHome packet", at: start)
        }
        let ciphertext = try body.take(body.remaining - 8)
        let counter = try body.take(4)
        let sealed = SealedPayload(
            nonce: address + [0x1E, 0x18] + counter, ciphertext: ciphertext, tag: try body.take(4), aad: [0x11])
        let plain = try sealed.open(sender.key, at: start)
        report.counter = number(counter)
        return firstObjects(ByteReader(plain), into: report)
    }

    /// Throws if the sender is known to encrypt: an unencrypted packet under its address comes from another device.
    private static func refuseOpen(_ sender: BluetoothSender, at offset: Int) throws(Malformed) {
        if sender.encrypts { throw Malformed("not encrypted, though a bindkey is known", at: offset) }
    }

    private static func objects(_ body: ByteReader, into report: Report) -> DecodedInput {
        var report = report
        var body = body
        var channels: [Quantity: Int] = [:]
        var count = 0
        var problem: Malformed?
        while !body.isAtEnd, count < RadioLimits.objects {
            count += 1
            do throws(Malformed) {
                let id = try body.u8()
                guard let object = BTHomeObject.known(id) else {
                    throw Malformed("no such BTHome object", at: body.offset - 1)
                }
                var width = object.width ?? 0
                if object.width == nil { width = BTHomeObject.width(of: id, lengthByte: try body.u8()) }
                var value = try body.part(width)
                try report.add(id, object, &value, isSigned: object.isSigned, &channels)
            } catch {
                problem = error
                break
            }
        }
        var decoded = DecodedInput(report)
        if let problem { decoded.note(problem) }
        return decoded
    }

    private static func firstObjects(_ body: ByteReader, into report: Report) -> DecodedInput {
        var report = report
        var body = body
        var channels: [Quantity: Int] = [:]
        var decoded = DecodedInput()
        do throws(Malformed) {
            while !body.isAtEnd {
                let control = try body.u8()
                var part = try body.part(Int(control & 0x1F))
                let form = control >> 5
                // Formats other than numbers (text, addresses, times) contain no measurement.
                guard form < 2, !part.isAtEnd else { continue }
                let id = try part.u8()
                guard (1...8).contains(part.remaining), let object = BTHomeObject.known(id) else { continue }
                try report.add(id, object, &part, isSigned: form == 1, &channels)
            }
        } catch {
            decoded.note(error)
        }
        decoded.reports = [report]
        return decoded
    }

    private static func number(_ littleEndian: [UInt8]) -> UInt64 {
        littleEndian.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension Report {
    /// Reads the value of one BTHome object and adds it as a reading. If the report already has a reading of this
    /// quantity, the value becomes that of its next channel.
    fileprivate mutating func add(
        _ id: UInt8, _ object: BTHomeObject, _ value: inout ByteReader, isSigned: Bool,
        _ channels: inout [Quantity: Int]
    ) throws(Malformed) {
        if id == BTHomeObject.packetID, repeats == .packetID { counter = UInt64(try value.u8()) }
        guard let quantity = object.quantity, (1...8).contains(value.remaining) else { return }
        let width = value.remaining
        let raw = isSigned ? Double(try value.signed(width)) : Double(try value.unsigned(width))
        channels[quantity, default: 0] += 1
        addPossible(quantity, object.value(raw), channel: channels[quantity] ?? 1)
    }
}
