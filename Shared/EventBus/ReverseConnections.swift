import JSON

/// `hello` of a desk that dials its asker: who it is.
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

/// Who dialled in to be asked, and on which connection each was met last.
struct ReverseConnections {
    private var peers: [String: [UInt8]] = [:]
    private let admit: (_ name: String, _ user: String?) -> Bool

    /// - Parameter admit: which process may be called what, by the name that the doorkeeper gave it.
    init(admit: @escaping (_ name: String, _ user: String?) -> Bool) {
        self.admit = admit
    }

    /// The connection on which somebody is asked; nil while it has not come.
    func peer(of name: String) -> [UInt8]? { peers[name] }

    mutating func met(_ arrival: MessageSocket.ReceivedMessage) throws(BusAnomaly) {
        let name = try FeedHeader.parse(arrival.message.header, CallHeader.init(header:)).name
        guard admit(name, arrival.user) else { throw .notAdmitted }
        guard peers[name] != nil || peers.count < BusLimits.callees else { throw .tooManyPeers }
        peers[name] = arrival.peer
    }
}
