internal import CSystemd

/// Reads the values of a message, within the limits of `BusLimits`.
@safe struct MessageReader {
    private let message: OpaquePointer
    private var count = 0

    init(message: OpaquePointer) {
        unsafe self.message = message
    }

    /// Returns all values that are left.
    mutating func all() throws(BusError) -> [BusValue] { try values(depth: 0) }

    /// Returns the values up to the end of the message or of the container that was entered.
    private mutating func values(depth: Int) throws(BusError) -> [BusValue] {
        var values: [BusValue] = []
        while let value = try next(depth: depth) { values.append(value) }
        return values
    }

    private mutating func next(depth: Int) throws(BusError) -> BusValue? {
        var type: CChar = 0
        var pointer: UnsafePointer<CChar>?
        guard try BusError.checked(unsafe sd_bus_message_peek_type(message, &type, &pointer), "read") > 0 else {
            return nil
        }
        count += 1
        guard count <= BusLimits.values, depth < BusLimits.depth else {
            throw BusError(operation: "read", reason: "the message is too large")
        }
        let contents = unsafe pointer.map { unsafe String(cString: $0) } ?? ""
        switch Int(type) {
        case SD_BUS_TYPE_ARRAY where contents == "y": return .bytes(try bytes())
        case SD_BUS_TYPE_ARRAY where contents.hasPrefix("{"):
            let pairs = try container(type, contents, depth: depth)
            return .dictionary(
                pairs.compactMap { pair in
                    guard let list = pair.asList, list.count == 2 else { return nil }
                    return BusValue.Entry(list[0], list[1])
                })
        case SD_BUS_TYPE_ARRAY, SD_BUS_TYPE_STRUCT, SD_BUS_TYPE_DICT_ENTRY:
            return .list(try container(type, contents, depth: depth))
        case SD_BUS_TYPE_VARIANT: return try container(type, contents, depth: depth).first
        default: return try basic(type)
        }
    }

    private mutating func container(_ type: CChar, _ contents: String, depth: Int) throws(BusError) -> [BusValue] {
        try BusError.checked(unsafe sd_bus_message_enter_container(message, type, contents), "read")
        let values = try values(depth: depth + 1)
        try BusError.checked(unsafe sd_bus_message_exit_container(message), "read")
        return values
    }

    private func bytes() throws(BusError) -> [UInt8] {
        var start: UnsafeRawPointer?
        var size = 0
        try BusError.checked(
            unsafe sd_bus_message_read_array(message, CChar(SD_BUS_TYPE_BYTE), &start, &size), "read")
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: size))
    }

    private func basic(_ type: CChar) throws(BusError) -> BusValue {
        switch Int(type) {
        case SD_BUS_TYPE_BOOLEAN: return .flag(try number(type, 0 as Int32) != 0)
        case SD_BUS_TYPE_BYTE: return .integer(Int64(try number(type, 0 as UInt8)))
        case SD_BUS_TYPE_INT16: return .integer(Int64(try number(type, 0 as Int16)))
        case SD_BUS_TYPE_UINT16: return .integer(Int64(try number(type, 0 as UInt16)))
        case SD_BUS_TYPE_INT32: return .integer(Int64(try number(type, 0 as Int32)))
        case SD_BUS_TYPE_UINT32: return .integer(Int64(try number(type, 0 as UInt32)))
        case SD_BUS_TYPE_INT64: return .integer(try number(type, 0 as Int64))
        case SD_BUS_TYPE_UINT64: return .integer(Int64(clamping: try number(type, 0 as UInt64)))
        case SD_BUS_TYPE_DOUBLE: return .real(try number(type, 0 as Double))
        case SD_BUS_TYPE_STRING, SD_BUS_TYPE_OBJECT_PATH, SD_BUS_TYPE_SIGNATURE:
            var pointer: UnsafePointer<CChar>?
            try BusError.checked(unsafe sd_bus_message_read_basic(message, type, &pointer), "read")
            return .text(unsafe pointer.map { unsafe String(cString: $0) } ?? "")
        // A file that is passed along is closed with the message.
        default:
            try BusError.checked(unsafe sd_bus_message_skip(message, nil), "read")
            return .list([])
        }
    }

    private func number<Value: BitwiseCopyable>(_ type: CChar, _ zero: Value) throws(BusError) -> Value {
        var value = zero
        try BusError.checked(unsafe sd_bus_message_read_basic(message, type, &value), "read")
        return value
    }
}
