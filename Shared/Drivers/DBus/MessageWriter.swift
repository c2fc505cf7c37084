internal import CSystemd

/// Appends arguments to a message that is being written.
@safe struct MessageWriter {
    private let message: OpaquePointer

    init(message: OpaquePointer) {
        unsafe self.message = message
    }

    func append(_ argument: BusCall.Argument) throws(BusError) {
        switch argument {
        case .text(let text): try write(.text(text))
        case .bytes(let bytes): try write(.bytes(bytes))
        case .int32(var number): try basic(SD_BUS_TYPE_INT32, &number)
        case .uint32(var number): try basic(SD_BUS_TYPE_UINT32, &number)
        case .uint16(var number): try basic(SD_BUS_TYPE_UINT16, &number)
        case .byteStrings(let strings):
            try open(SD_BUS_TYPE_ARRAY, "ay")
            for string in strings { try write(.bytes(string)) }
            try close()
        case .variant(let value): try variant(value)
        case .options(let options):
            try open(SD_BUS_TYPE_ARRAY, "{sv}")
            for option in options {
                try open(SD_BUS_TYPE_DICT_ENTRY, "sv")
                try write(option.key)
                try variant(option.value)
                try close()
            }
            try close()
        }
    }

    private func variant(_ value: BusValue) throws(BusError) {
        try open(SD_BUS_TYPE_VARIANT, try signature(value))
        try write(value)
        try close()
    }

    private func write(_ value: BusValue) throws(BusError) {
        switch value {
        case .flag(let flag):
            var number: Int32 = flag ? 1 : 0
            try basic(SD_BUS_TYPE_BOOLEAN, &number)
        case .integer(var number): try basic(SD_BUS_TYPE_INT64, &number)
        case .real(var number): try basic(SD_BUS_TYPE_DOUBLE, &number)
        case .text(let text):
            try BusError.checked(
                unsafe sd_bus_message_append_basic(message, CChar(SD_BUS_TYPE_STRING), text), "write a text")
        case .path(let path):
            try BusError.checked(
                unsafe sd_bus_message_append_basic(message, CChar(SD_BUS_TYPE_OBJECT_PATH), path), "write a path")
        case .bytes(let bytes):
            try BusError.checked(
                unsafe sd_bus_message_append_array(message, CChar(SD_BUS_TYPE_BYTE), bytes, bytes.count),
                "write bytes")
        case .list, .dictionary: throw BusError(operation: "write", reason: "containers cannot be written")
        }
    }

    private func signature(_ value: BusValue) throws(BusError) -> String {
        switch value {
        case .flag: "b"
        case .integer: "x"
        case .real: "d"
        case .text: "s"
        case .path: "o"
        case .bytes: "ay"
        case .list, .dictionary: throw BusError(operation: "write", reason: "containers cannot be written")
        }
    }

    private func basic<Value: BitwiseCopyable>(_ type: Int, _ value: inout Value) throws(BusError) {
        try BusError.checked(unsafe sd_bus_message_append_basic(message, CChar(type), &value), "write")
    }

    private func open(_ type: Int, _ contents: String) throws(BusError) {
        try BusError.checked(unsafe sd_bus_message_open_container(message, CChar(type), contents), "write")
    }

    private func close() throws(BusError) {
        try BusError.checked(unsafe sd_bus_message_close_container(message), "write")
    }
}
