import JSON
import System

/// `run.json`: the addresses and processes of a running farm server, for other programs. Only its user may read it.
struct RunFile: JSONReadable {
    var http: String
    var https: String?
    var ca: String?
    var setup: String?
    var token: String?
    var sampleTrace: String?
    /// The addresses of a demonstration's nodes.
    var nodes: [String] = []
    var services: [(origin: String, ops: String, pid: Int)] = []
    var supervisor: Int
    /// The PID of the private database.
    var database: Int?

    init(http: String, supervisor: Int) {
        self.http = http
        self.supervisor = supervisor
    }

    init(json: borrowing JSONValue) throws(JSONError) {
        http = try json.get("http")
        https = try json.find("https")
        ca = try json.find("ca")
        setup = try json.find("setup")
        token = try json.find("token")
        sampleTrace = try json.find("sampleTrace")
        nodes = try json.find("nodes") ?? []
        supervisor = try json.get("supervisor")
        database = try json.find("database")
        guard let named = json["services"]?.object else { throw JSONError(message: "is missing", path: "services") }
        for (origin, service) in named {
            services.append((origin, try service.get("ops"), try service.get("pid")))
        }
    }

    static func read(_ farmPaths: FarmPaths) throws -> RunFile {
        guard File.exists(farmPaths.runFile) else { throw Refusal("No farm server is running in \(farmPaths.home).") }
        return try RunFile(json: JSONValue.parse(try File.read(farmPaths.runFile, limit: 1 << 20)))
    }

    func write(_ path: String) throws {
        var json = JSONWriter()
        json.object { json in
            json.field("http", http)
            nullable("https", https, &json)
            nullable("ca", ca, &json)
            nullable("setup", setup, &json)
            nullable("token", token, &json)
            nullable("sampleTrace", sampleTrace, &json)
            if !nodes.isEmpty { json.field("nodes", nodes) }
            json.field("supervisor", supervisor)
            json.field("database", ifPresent: database)
            json.field(
                "services",
                object: { json in
                    for service in services {
                        json.field(
                            service.origin,
                            object: { json in
                                json.field("ops", service.ops)
                                json.field("pid", service.pid)
                            })
                    }
                })
        }
        try File.writeAtomically(path, json.bytes + [10], mode: 0o600)
    }

    private func nullable(_ name: String, _ value: String?, _ json: inout JSONWriter) {
        if let value { json.field(name, value) } else { json.field(name, raw: Array("null".utf8)) }
    }
}
