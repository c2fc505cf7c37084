import Vocabulary

/// What a node announces by DNS-SD (RFC 6763): the type `_furrow._tcp`, its port, and a TXT record of at most
/// ``SharingLimits/announcementBytes`` bytes with its identifier and what is requested most there.
package struct Announcement: Hashable, Sendable {
    package static let type = "_furrow._tcp"

    package let node: String
    package let kind: PeerKind
    package let port: UInt16
    /// The addresses of what is requested most, as many as there is room for.
    package let popular: [String]

    /// The name of the service, which Avahi changes if another machine has it; `node` identifies the node.
    package var name: String { "furrow-\(kind)-\(node.prefix(8))" }

    /// The strings of the TXT record: `v`, the version; `id`, the node; `t1` to `t5`, the most requested first.
    package var text: [[UInt8]] {
        var strings = ["v=1", "id=\(node)"]
        var bytes = strings.reduce(0) { $0 + $1.utf8.count + 1 }
        for (index, target) in popular.prefix(SharingLimits.announced).enumerated() {
            let string = "t\(index + 1)=\(target)"
            guard bytes + string.utf8.count + 1 <= SharingLimits.announcementBytes else { continue }
            strings.append(string)
            bytes += string.utf8.count + 1
        }
        return strings.map { Array($0.utf8) }
    }
}
