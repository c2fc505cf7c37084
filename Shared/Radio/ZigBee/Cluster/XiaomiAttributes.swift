import Vocabulary

/// The non-standard attributes in which Xiaomi and Aqara devices pack all their values.
enum XiaomiAttributes {
    private static let manufacturer: UInt16 = 0x115F

    static func isMadeByXiaomi(_ frame: ZCLFrame) -> Bool { frame.manufacturer == manufacturer }

    /// Adds the values of a packed attribute. Returns whether it is one.
    static func add(_ record: ZCLAttributes.Record, cluster: UInt16, traits: DeviceTraits, to report: inout Report)
        -> Bool
    {
        var traits = traits
        traits.isLumi = true
        switch (cluster, record.attribute, record.value) {
        case (0x0000, 0xFF01, .bytes(let bytes)), (0xFCC0, 0x00F7, .bytes(let bytes)):
            addTags(bytes, traits, to: &report)
        case (0x0000, 0xFF02, .structure(let values)):
            if values.count > 1, let millivolts = values[1].number { report.add(.voltage, millivolts / 1000) }
        default: return false
        }
        return true
    }

    /// Reads pairs of a tag and a value with its ZCL type, up to a stray zero or anything else that is no pair.
    private static func addTags(_ bytes: [UInt8], _ traits: DeviceTraits, to report: inout Report) {
        var reader = ByteReader(bytes)
        var count = 0
        while reader.remaining >= 3, count < RadioLimits.records {
            count += 1
            do throws(Malformed) {
                let tag = try reader.u8()
                let type = try reader.u8()
                add(tag, type, try ZCLType.read(type, &reader), traits, to: &report)
            } catch {
                return
            }
        }
    }

    /// Adds the value of a tag. Tags have other meanings in other models; their types distinguish most of them.
    private static func add(
        _ tag: UInt8, _ type: UInt8, _ value: ZCLValue, _ traits: DeviceTraits, to report: inout Report
    ) {
        guard let number = value.number else { return }
        switch (tag, type) {
        case (1, ZCLType.uint16): report.add(.voltage, number / 1000)
        case (11, ZCLType.uint16) where traits.model == "lumi.sensor_motion.aq2":
            report.addChecked(.illuminance, number, traits)
        case (100, ZCLType.int16): report.addChecked(.temperature, number / 100, traits)
        case (101, ZCLType.uint16), (101, ZCLType.int16): report.addChecked(.humidity, number / 100, traits)
        // Pascal in 32 bits, hectopascal in 16.
        case (102, ZCLType.int32): report.addChecked(.pressure, number / 100, traits)
        case (102, ZCLType.int16): report.addChecked(.pressure, number, traits)
        default: break
        }
    }
}
