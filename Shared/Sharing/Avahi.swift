import DBus
import System

/// The names and calls of Avahi, the DNS-SD daemon of Linux, on the system bus (`avahi-daemon`, D-Bus API 516).
enum Avahi {
    static let service = "org.freedesktop.Avahi"
    private static let server = "org.freedesktop.Avahi.Server"
    static let group = "org.freedesktop.Avahi.EntryGroup"
    static let browser = "org.freedesktop.Avahi.ServiceBrowser"

    /// Any interface, and any protocol.
    private static let anywhere: [BusCall.Argument] = [.int32(-1), .int32(-1)]
    /// IPv4, by which nodes call each other.
    private static let addresses = BusCall.Argument.int32(0)
    private static let noFlags = BusCall.Argument.uint32(0)

    static let match = BusCall(
        "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch",
        [.text("type='signal',sender='\(service)'")])
    static let newGroup = BusCall(service, "/", server, "EntryGroupNew")
    static let newBrowser = BusCall(
        service, "/", server, "ServiceBrowserNew",
        anywhere + [.text(Announcement.type), .text(""), noFlags])

    /// Adds the node to a group that is published afterwards.
    static func add(_ announcement: Announcement, to group: String) -> BusCall {
        BusCall(
            service, group, Self.group, "AddService",
            anywhere + [
                noFlags, .text(announcement.name), .text(Announcement.type), .text(""), .text(""),
                .uint16(announcement.port), .byteStrings(announcement.text),
            ])
    }

    /// Replaces the TXT record of a node that is published.
    static func update(_ announcement: Announcement, in group: String) -> BusCall {
        BusCall(
            service, group, Self.group, "UpdateServiceTxt",
            anywhere + [
                noFlags, .text(announcement.name), .text(Announcement.type), .text(""),
                .byteStrings(announcement.text),
            ])
    }

    static func publish(_ group: String) -> BusCall { BusCall(service, group, Self.group, "Commit") }

    /// Asks for the address of a service, as a browser has named it: interface, protocol, name, type, domain.
    static func resolve(_ values: [BusValue]) -> BusCall? {
        guard values.count >= 5, let interface = values[0].asInteger, let family = values[1].asInteger,
            let name = values[2].asText, let type = values[3].asText, let domain = values[4].asText
        else { return nil }
        return BusCall(
            service, "/", server, "ResolveService",
            [
                .int32(Int32(clamping: interface)), .int32(Int32(clamping: family)), .text(name), .text(type),
                .text(domain), addresses, noFlags,
            ])
    }

    /// Whether an IPv4 address is of a private network (RFC 1918, 3927, 6598). A false announcement of another one
    /// would make this node call servers on the Internet.
    static func isLocal(_ address: String) -> Bool {
        let parts = address.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        guard parts.count == 4, let first = parts[0], let second = parts[1], parts.allSatisfy({ $0 != nil }) else {
            return false
        }
        switch (first, second) {
        case (10, _), (172, 16...31), (192, 168), (169, 254), (100, 64...127): return true
        default: return false
        }
    }

    /// Returns the address of the node in a response to ``resolve(_:)``; nil for this node itself, and for anything
    /// else.
    static func address(_ values: [BusValue], except node: String) -> String? {
        guard values.count >= 10, let address = values[7].asText, let port = values[8].asInteger,
            (1...65_535).contains(port), isLocal(address)
        else { return nil }
        let text = (values[9].asList ?? []).compactMap(\.asBytes).map { String(decoding: $0, as: UTF8.self) }
        guard text.contains("v=1"), !text.contains("id=\(node)") else { return nil }
        return "http://\(address):\(port)"
    }
}
