import JSON

/// The hello of a server that dials its client, with the server's name.
struct CallHeader: Equatable {
    let name: String

    init(name: String) {
        self.name = name
    }

    init(header json: JSONValue) throws(JSONError) {
        name = try json.get("name")
        guard (1...BusLimits.feedBytes).contains(name.utf8.count) else { throw json.error("expected a name") }
    }

    var header: [UInt8] { FeedHeader.write { $0.field("name", name) } }
}

/// The servers that dialled in, and the latest connection of each.
struct ReverseConnections {
    private var peers: [String: [UInt8]] = [:]
    private let admit: (_ name: String, _ user: String?) -> Bool

    /// - Parameter admit: returns whether a process, by its authenticated name, may receive requests under a name.
    init(admit: @escaping (_ name: String, _ user: String?) -> Bool) {
        self.admit = admit
    }

    /// Returns the routing id of a server; nil if it has not dialled in.
    func peer(of name: String) -> [UInt8]? { peers[name] }

    mutating func announced(_ arrival: MessageSocket.ReceivedMessage) throws(BusAnomaly) {
        let name = try FeedHeader.parse(arrival.message.header, CallHeader.init(header:)).name
        guard admit(name, arrival.user) else { throw .notAdmitted }
        guard peers[name] != nil || peers.count < BusLimits.callees else { throw .tooManyPeers }
        peers[name] = arrival.peer
    }
}
