internal import CSystemd

/// A connection to the system's message bus (libsystemd's sd-bus). Used by one thread; nothing in it waits.
///
/// ```
/// let bus = try BusConnection()
/// let number = try bus.send(BusCall("org.bluez", "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects"))
/// for message in try bus.receive() where message.kind == .response(number) { … }
/// ```
@safe package final class BusConnection {
    private let bus: OpaquePointer

    /// Connects to the system bus, whose address `DBUS_SYSTEM_BUS_ADDRESS` may replace.
    package init() throws(BusError) {
        var opened: OpaquePointer?
        try BusError.checked(unsafe sd_bus_open_system(&opened), "connect to the system bus")
        guard let opened = unsafe opened else {
            throw BusError(operation: "connect to the system bus", reason: "no connection")
        }
        unsafe bus = opened
    }

    deinit {
        _ = unsafe sd_bus_flush_close_unref(bus)
    }

    /// Readable when messages have come.
    package var descriptor: Int32 { unsafe sd_bus_get_fd(bus) }

    /// Sends a call and returns its number, which its response names.
    package func send(_ call: BusCall) throws(BusError) -> UInt64 {
        var created: OpaquePointer?
        try BusError.checked(
            unsafe sd_bus_message_new_method_call(
                bus, &created, call.destination, call.path, call.interface, call.member), call.member)
        guard let message = unsafe created else { throw BusError(operation: call.member, reason: "no message") }
        defer { _ = unsafe sd_bus_message_unref(message) }
        let writer = unsafe MessageWriter(message: message)
        for argument in call.arguments { try writer.append(argument) }
        var number: UInt64 = 0
        try BusError.checked(unsafe sd_bus_send(bus, message, &number), call.member)
        return number
    }

    /// Returns the messages that have come. Throws when the bus has ended.
    ///
    /// A response that cannot be read counts as a failure of its call; a signal that cannot be read is left out.
    ///
    /// More may be there if `BusLimits.messages` are returned.
    package func receive() throws(BusError) -> [BusMessage] {
        var messages: [BusMessage] = []
        while messages.count < BusLimits.messages {
            var next: OpaquePointer?
            guard try BusError.checked(unsafe sd_bus_process(bus, &next), "receive") > 0 else { break }
            guard let message = unsafe next else { continue }
            defer { _ = unsafe sd_bus_message_unref(message) }
            if let read = unsafe Self.read(message) { messages.append(read) }
        }
        return messages
    }

    private static func read(_ message: OpaquePointer) -> BusMessage? {
        var type: UInt8 = 0
        var number: UInt64 = 0
        guard unsafe sd_bus_message_get_type(message, &type) >= 0 else { return nil }
        let hasNumber = unsafe sd_bus_message_get_reply_cookie(message, &number) >= 0
        let kind: BusMessage.Kind
        switch Int(type) {
        case Int(SD_BUS_MESSAGE_SIGNAL): kind = .signal
        case Int(SD_BUS_MESSAGE_METHOD_RETURN) where hasNumber: kind = .response(number)
        case Int(SD_BUS_MESSAGE_METHOD_ERROR) where hasNumber:
            let name = unsafe sd_bus_message_get_error(message).map { unsafe text($0.pointee.name) }
            kind = .failure(number, name: name ?? "")
        default: return nil
        }
        var reader = unsafe MessageReader(message: message)
        do throws(BusError) {
            return BusMessage(
                kind, path: unsafe text(sd_bus_message_get_path(message)),
                interface: unsafe text(sd_bus_message_get_interface(message)),
                member: unsafe text(sd_bus_message_get_member(message)), try reader.all())
        } catch {
            guard case .response(let number) = kind else { return nil }
            return BusMessage(.failure(number, name: "org.freedesktop.DBus.Error.LimitsExceeded"))
        }
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
        unsafe pointer.map { unsafe String(cString: $0) } ?? ""
    }
}
