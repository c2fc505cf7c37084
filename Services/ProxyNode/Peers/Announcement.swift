import Vocabulary

/// What a node announces by DNS-SD (RFC 6763): the type `_furrow._tcp`, its port, and a TXT record of at most
/// ``NodeLimits/announcementBytes`` bytes with its identifier and what is requested most there.
struct Announcement: Hashable, Sendable {
    static let type = "_furrow._tcp"

    let node: String
    let port: UInt16
    /// The addresses of what is requested most, as many as there is room for.
    let popular: [String]

    /// The name of the service, which Avahi changes if another machine has it; `node` identifies the node.
    var name: String { "furrow-node-\(node.prefix(8))" }

    /// The strings of the TXT record: `v`, the version; `id`, the node; `t1` to `t5`, the most requested first.
    var text: [[UInt8]] {
        var strings = ["v=1", "id=\(node)"]
        var bytes = strings.reduce(0) { $0 + $1.utf8.count + 1 }
        for (index, target) in popular.prefix(NodeLimits.announced).enumerated() {
            let string = "t\(index + 1)=\(target)"
            guard bytes + string.utf8.count + 1 <= NodeLimits.announcementBytes else { continue }
            strings.append(string)
            bytes += string.utf8.count + 1
        }
        return strings.map { Array($0.utf8) }
    }
}
