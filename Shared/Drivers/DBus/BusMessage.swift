/// A message that came over a bus.
package struct BusMessage: Hashable, Sendable {
    /// What a message is.
    package enum Kind: Hashable, Sendable {
        case signal
        /// The response to the call with this number.
        case response(UInt64)
        /// The call with this number failed, with the name of an error.
        case failure(UInt64, name: String)
    }

    package let kind: Kind
    /// The object, interface and name of a signal; empty if the message has none.
    package let path: String
    package let interface: String
    package let member: String
    package let values: [BusValue]

    package init(
        _ kind: Kind, path: String = "", interface: String = "", member: String = "", _ values: [BusValue] = []
    ) {
        (self.kind, self.path, self.interface, self.member) = (kind, path, interface, member)
        self.values = values
    }
}

/// A call of a method of another program's object.
package struct BusCall: Hashable, Sendable {
    package let destination: String
    package let path: String
    package let interface: String
    package let member: String
    package let arguments: [Argument]

    /// An argument of a call.
    package enum Argument: Hashable, Sendable {
        case text(String)
        case bytes([UInt8])
        case int32(Int32)
        case uint32(UInt32)
        case uint16(UInt16)
        /// A list of byte strings.
        case byteStrings([[UInt8]])
        /// One value in a variant.
        case variant(BusValue)
        /// A dictionary of options by name, each in a variant.
        case options([BusValue.Entry])
    }

    package init(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [Argument] = []
    ) {
        (self.destination, self.path, self.interface, self.member) = (destination, path, interface, member)
        self.arguments = arguments
    }
}
