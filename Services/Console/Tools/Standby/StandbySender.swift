import Crypto
import EventSourcing
import EventStore
import Host
import JSON
import Postgres
import SQLite
import System
import Vault
import Vocabulary

/// Sends a standby what is no part of the hub: vaults, pictures, sealed segments, settings, and the responses that
/// journals have stored. Everything is encrypted to the standby, and Postgres carries it there.
///
/// It runs in a process of its own and never holds up a service: it reads committed files only.
final class StandbySender {
    private let farmPaths: FarmPaths
    private let connection: Connection
    private let member: [UInt8]
    /// The names of the files that were sent, with their sizes and modification times.
    private var sent: [String: (bytes: Int64, modified: Int64)] = [:]
    /// The names of the files that the home has now.
    private var present: Set<String> = []
    /// The SHA-256 of each part of a vault, as it was sent last.
    private var vaultParts: [String: [[UInt8]]] = [:]
    /// The change counters of the vaults, by which a changed one is noticed.
    private var vaultReaders: [String: (database: Database, version: SQLValue?)] = [:]
    private var responses: [String: Int64] = [:]

    /// Returns nil while no standby has joined.
    init?(_ farmPaths: FarmPaths) throws {
        self.farmPaths = farmPaths
        connection = try StandbyDatabase.local(farmPaths.runningDatabase)
        guard case .bytes(let key)? = try connection.query("SELECT key FROM standby.member").first?.first else {
            return nil
        }
        member = key
        try beginAgainUnlessSent(to: key)
        for row in try connection.query("SELECT name, bytes, modified FROM standby.file") {
            guard case .text(let name) = row[0], case .integer(let bytes) = row[1], case .integer(let time) = row[2]
            else { continue }
            sent[name] = (bytes, time)
        }
        for row in try connection.query("SELECT origin, max(last) FROM standby.response GROUP BY origin") {
            guard case .text(let origin) = row[0], case .integer(let last) = row[1] else { continue }
            responses[origin] = last
        }
    }

    /// Removes what is encrypted to another standby's key.
    private func beginAgainUnlessSent(to key: [UInt8]) throws {
        if try connection.query("SELECT key FROM standby.beat") == [[.bytes(key)]] { return }
        try connection.execute("TRUNCATE standby.file, standby.part, standby.response, standby.beat")
        try connection.run("INSERT INTO standby.beat(key) VALUES ($1)", [.bytes(key)])
    }

    /// The address of the standby.
    func address() throws -> String? {
        guard case .text(let address)? = try connection.query("SELECT address FROM standby.member").first?.first else {
            return nil
        }
        return address
    }

    /// Whether another standby has joined since, so that everything has to be sent again.
    func isOutdated() throws -> Bool {
        guard case .bytes(let key)? = try connection.query("SELECT key FROM standby.member").first?.first else {
            return true
        }
        return key != member
    }

    /// Sends what has changed since the last time. The beat is written last.
    func send() throws {
        present = []
        let contents = try HomeContents(farmPaths.allHomes)
        for item in contents.journals { try sendResponses(of: item.path) }
        for item in contents.vaults { try sendVault(item.path, as: "vault/\(item.name)") }
        for item in contents.media + contents.segments { try sendFolder(item) }
        for item in contents.settings { try sendFile(item.path, as: item.name) }
        try removeFiles()
        try connection.execute("UPDATE standby.beat SET at = now()")
    }

    /// Removes files that the home does not have any more, such as pictures that were erased.
    private func removeFiles() throws {
        for name in Set(sent.keys).subtracting(present) {
            try inTransaction {
                try connection.run("DELETE FROM standby.part WHERE name = $1", [.text(name)])
                try connection.run("DELETE FROM standby.file WHERE name = $1", [.text(name)])
            }
            sent[name] = nil
        }
    }

    // MARK: Files

    private func sendFolder(_ item: HomeContents.Item) throws {
        for file in try Directory.list(item.path).sorted()
        where !file.hasPrefix(".") && !file.hasSuffix(".new") && !file.hasSuffix(".pruned") {
            try sendFile("\(item.path)/\(file)", as: "\(item.name)/\(file)")
        }
    }

    /// Sends a file that is replaced as a whole, if its size or its time has changed.
    private func sendFile(_ path: String, as name: String) throws {
        guard File.exists(path), let modified = try File.written(path) else { return }
        present.insert(name)
        let bytes = Int64(try File.size(path))
        if let known = sent[name], known == (bytes, modified) { return }
        try store(try File.read(path, limit: Self.fileBytes), as: name, modified: modified)
    }

    private func store(_ content: [UInt8], as name: String, modified: Int64) throws {
        let parts = stride(from: 0, to: content.count, by: StandbyDatabase.partBytes).map {
            Array(content[$0..<min($0 + StandbyDatabase.partBytes, content.count)])
        }
        try inTransaction {
            try connection.run("DELETE FROM standby.part WHERE name = $1", [.text(name)])
            for (index, part) in parts.enumerated() { try store(part, index, of: name) }
            try note(name, bytes: content.count, modified: modified, parts: parts.count)
        }
        sent[name] = (Int64(content.count), modified)
    }

    private func store(_ part: [UInt8], _ index: Int, of name: String) throws {
        try connection.run(
            """
            INSERT INTO standby.part(name, part, sealed) VALUES ($1, $2, $3)
            ON CONFLICT (name, part) DO UPDATE SET sealed = excluded.sealed
            """, [.text(name), .integer(Int64(index)), .bytes(try seal(part))])
    }

    private func note(_ name: String, bytes: Int, modified: Int64, parts: Int) throws {
        try connection.run(
            """
            INSERT INTO standby.file(name, bytes, modified, parts) VALUES ($1, $2, $3, $4)
            ON CONFLICT (name) DO UPDATE
                SET bytes = excluded.bytes, modified = excluded.modified, parts = excluded.parts
            """, [.text(name), .integer(Int64(bytes)), .integer(modified), .integer(Int64(parts))])
    }

    // MARK: Vaults

    /// Sends the changed parts of a vault in one transaction, so that the standby has it as of one moment.
    private func sendVault(_ path: String, as name: String) throws {
        present.insert(name)
        let reader = try vaultReaders[path]?.database ?? Database(path: path, mode: .reader)
        let version = try reader.query("PRAGMA data_version").first?.first
        if let known = vaultReaders[path], known.version == version { return }
        let copy = "\(farmPaths.run)/vault-copy"
        if File.exists(copy) { try File.remove(copy) }
        try Vault.copy(path, to: copy)
        let content = try File.read(copy, limit: Self.fileBytes)
        try File.remove(copy)
        let parts = stride(from: 0, to: content.count, by: Self.vaultPartBytes).map {
            Array(content[$0..<min($0 + Self.vaultPartBytes, content.count)])
        }
        let sums = parts.map { SHA256.hash($0) }
        let known = vaultParts[name] ?? []
        try inTransaction {
            for (index, part) in parts.enumerated() where index >= known.count || known[index] != sums[index] {
                try store(part, index, of: name)
            }
            try connection.run(
                "DELETE FROM standby.part WHERE name = $1 AND part >= $2",
                [.text(name), .integer(Int64(parts.count))])
            try note(name, bytes: content.count, modified: 0, parts: parts.count)
        }
        vaultParts[name] = sums
        vaultReaders[path] = (reader, version)
    }

    // MARK: Responses

    private func sendResponses(of journal: String) throws {
        let reader = try SQLiteReader(path: journal)
        let origin = try reader.head().feed
        while case let page = try reader.responses(after: responses[origin] ?? 0, limit: Self.responses),
            let last = page.last
        {
            try connection.run(
                "INSERT INTO standby.response(origin, last, sealed) VALUES ($1, $2, $3)",
                [.text(origin), .integer(last.number), .bytes(try seal(Self.write(page)))])
            responses[origin] = last.number
        }
    }

    // MARK: Helpers

    private func seal(_ content: [UInt8]) throws -> [UInt8] {
        let message = try HPKE(to: member, info: StandbySealing.info)
        return message.encapsulated + (try message.seal(content))
    }

    private func inTransaction(_ body: () throws -> Void) throws {
        try connection.execute("BEGIN")
        do {
            try body()
            try connection.execute("COMMIT")
        } catch {
            if connection.isAlive { try connection.execute("ROLLBACK") }
            throw error
        }
    }

    private static func write(_ page: [NumberedResponse]) -> [UInt8] {
        var json = JSONWriter()
        page.write(to: &json)
        return json.bytes
    }

    private static let fileBytes = 1 << 30
    private static let vaultPartBytes = 16 << 10
    private static let responses = 256
}

/// The encryption of what a standby receives.
enum StandbySealing {
    static let info = Array("furrow standby".utf8)

    /// Returns what was sealed for a standby.
    static func open(_ sealed: [UInt8], _ key: X25519Key) throws -> [UInt8] {
        let encapsulated = Array(sealed.prefix(HPKE.encapsulatedSize))
        return try HPKE(encapsulated: encapsulated, for: key, info: info)
            .open(Array(sealed.dropFirst(HPKE.encapsulatedSize)))
    }
}
