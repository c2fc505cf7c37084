import EventSourcing
import EventStore
import Host
import JSON
import JetStream
import System

/// `furrow cluster`: moves the journals of a home into a cluster and back, and shows where they are.
struct ClusterCommand {
    private enum Action {
        case status, join, leave
        case node(ClusterNode)
    }

    /// Where a journal is.
    private struct Row: JSONRecord {
        let origin: String
        /// The last position of its file.
        let position: Position
        let isInCluster: Bool
        /// Messages of its stream that the file does not have; nil if the journal is not in a cluster.
        var behind: Int64?

        func write(fields json: inout JSONWriter) {
            json.field("origin", origin)
            json.field("position", position)
            json.field("place", isInCluster ? "cluster" : "file")
            json.field("behind", ifPresent: behind)
        }

        var text: String {
            guard isInCluster else { return "\(origin): position \(position), in its file" }
            let lag = behind == 0 ? "its file has everything" : "its file lacks \(behind ?? 0) messages"
            return "\(origin): position \(position), in the cluster; \(lag)"
        }
    }

    private let action: Action
    private let farmPaths: FarmPaths
    private let isJSON: Bool

    init(_ arguments: inout Arguments) throws {
        farmPaths = try FarmPaths(home: arguments.value("--home"))
        isJSON = arguments.flag("--json")
        switch arguments.word() {
        case nil, "status": action = .status
        case "join": action = .join
        case "leave": action = .leave
        case "node": action = .node(try ClusterNode(&arguments))
        default:
            throw Refusal("The command is: furrow cluster status, join, leave or node", isMisuse: true)
        }
        try arguments.end()
    }

    func run() throws -> Int32 {
        switch action {
        case .node(let node):
            Terminal.say(node.settings)
            return 0
        case .status:
            say(try journals().map { try row(of: $0) })
            return 0
        case .join:
            return try move { path, feed, cluster in
                guard try ReplicaMark.find(in: path)?.sequence ?? 0 == 0 else { return }
                try cluster.open(path, feed: feed, why: "created", at: AdjustableClock.machine).close()
            }
        case .leave:
            return try move { path, feed, cluster in
                guard try ReplicaMark.find(in: path) != nil else { return }
                _ = try cluster.leave(path, feed: feed, at: AdjustableClock.machine)
            }
        }
    }

    /// Moves every journal, one after the other. A move that is interrupted goes on when it is called again.
    private func move(_ one: (_ path: String, _ feed: String, Cluster) throws -> Void) throws -> Int32 {
        let locks = try HomeContents.lock(farmPaths.allHomes) { home in
            Refusal("A farm server is running in \(home). Stop it first: furrow stop")
        }
        defer { _ = locks }
        let paths = try journals()
        guard !paths.isEmpty else { throw Refusal("There is no journal in \(farmPaths.home).") }
        for path in paths {
            let feed = try SQLiteReader(path: path).head().feed
            if !isJSON { Terminal.say("\(feed) …") }
            try one(path, feed, try cluster(feed))
        }
        say(try paths.map { try row(of: $0) })
        return 0
    }

    private func journals() throws -> [String] {
        try HomeContents(farmPaths.allHomes).journals.map(\.path)
    }

    private func row(of path: String) throws -> Row {
        let head = try SQLiteReader(path: path).head()
        guard let mark = try ReplicaMark.find(in: path) else {
            return Row(origin: head.feed, position: head.position, isInCluster: false)
        }
        guard let length = try cluster(head.feed).length(of: head.feed) else {
            throw Refusal("The cluster of FURROW_CLUSTER has no journal of \(head.feed).")
        }
        return Row(origin: head.feed, position: head.position, isInCluster: true, behind: length - mark.sequence)
    }

    private func cluster(_ feed: String) throws -> Cluster {
        guard let cluster = try Settings.fromProcess().cluster(for: "furrow cluster, \(feed)") else {
            throw Refusal("FURROW_CLUSTER is not set: the addresses of the cluster's servers, separated by commas.")
        }
        return cluster
    }

    private func say(_ rows: [Row]) {
        guard isJSON else { return rows.forEach { Terminal.say($0.text) } }
        var json = JSONWriter()
        json.object { json in
            json.field("ok", true)
            json.field("journals", rows)
        }
        Terminal.put(json.bytes + [10])
    }
}
