import JSON
import SQLite
import Synchronization
import System
public import Vocabulary

/// What an app keeps of a farm's market and of the stories of its boxes, with and without a network.
///
/// Everything is read from and promised in one file on the device; `sync` sends what waits and gets what is new, as the
/// farm's own pages do (`Services/SyncGateway/README.md`, "Keeping clients in step"). May be used from any task. One
/// process opens a folder at a time. What only one person may see lies in that file as it is: keep the folder where
/// only its owner may read.
///
///     let farm = try FarmClient(server: "https://farm.example", folder: folder)
///     try await farm.sync()
///     let offers = try farm.records(.offers)
///     try farm.order([OrderItem(offer: offers[0].id, quantity: 2)], pickup: "barn")
///     try await farm.sync()
public final class FarmClient: Sendable {
    let server: Server
    let turns = Mutex(SyncCoordinator())
    private let keep: Mutex<ClientStore>
    /// Apps that show what is here.
    private let listeners = Listeners()
    /// Told when there is something to synchronise for: news, a promise, somebody who signed in.
    let occasions = Listeners()
    let calls = BlockingCallPool()
    let pictures = Mutex<[String: Task<Result<[UInt8], FarmClientError>, Never>]>([:])

    /// Opens what is kept in a folder, which is made if it is missing. Asks nobody yet.
    ///
    /// - Parameters:
    ///   - server: where the farm server is, such as `https://farm.example`.
    ///   - caFile: the PEM file of the authority to trust, where that is the farm's own; nil trusts the system's.
    /// - Throws: `misuse`, `inUse`, `store`.
    public init(server: String, folder: String, caFile: String? = nil) throws(FarmClientError) {
        self.server = try Server(server, caFile: caFile)
        do throws(SystemError) {
            try Directory.create(folder, mode: 0o700)
        } catch {
            throw FarmClientError(.store, "The folder cannot be made: \(error)")
        }
        keep = Mutex(try ClientStore(path: "\(folder)/farm.db"))
    }

    // MARK: What is here

    /// The records of a table, in the order of their names.
    public func records(_ table: FarmTable) throws(FarmClientError) -> [FarmRecord] {
        try kept { keep throws(SQLiteError) in
            try keep.bodies(table).compactMap { FarmRecord(table: table, id: $0.id, json: $0.body) }
        }
    }

    /// One record; nil where there is none.
    public func record(_ table: FarmTable, _ id: String) throws(FarmClientError) -> FarmRecord? {
        try kept { keep throws(SQLiteError) in
            try keep.body(table, id).flatMap { FarmRecord(table: table, id: id, json: $0) }
        }
    }

    /// How orders can be paid, as the server told it last: `at-pickup`, `sandbox`.
    public func payments() throws(FarmClientError) -> [String] {
        let told: String? = try kept { keep throws(SQLiteError) in try keep.fact(.payments) }
        guard let told, let list = parsed(told), case .array(let words) = list else { return [] }
        return words.compactMap { if case .string(let word) = $0 { word } else { nil } }
    }

    /// When everything was last in step with the server; nil before the first time.
    public func pulledAt() throws(FarmClientError) -> Instant? {
        try session().mark.map { Instant(microseconds: $0.at) }
    }

    /// Who is signed in here; nil if nobody.
    public func me() throws(FarmClientError) -> FarmPerson? {
        try session().me
    }

    /// What was promised here and is not done yet, or was refused. Of all who use this device: `person` says whose.
    public func pendingChanges() throws(FarmClientError) -> [PendingChange] {
        try kept { keep throws(SQLiteError) in try keep.pendingChanges() }
    }

    /// What the farm server calls an order that was promised here; nil while it waits. Of the newest thousand.
    public func order(of pendingChange: PendingChange) throws(FarmClientError) -> String? {
        try kept { keep throws(SQLiteError) in try keep.name(ofSent: pendingChange.id) }
    }

    /// Tells when something of this has changed: once for all that changed since it was last looked at. Ends with the
    /// client.
    public func changes() -> AsyncStream<Void> { listeners.stream() }

    // MARK: For the rest of the client

    /// Reads or writes the file, all of it or nothing.
    func kept<Result: Sendable>(
        _ body: @Sendable (ClientStore) throws(SQLiteError) -> Result
    ) throws(FarmClientError) -> Result {
        do throws(SQLiteError) {
            return try keep.withLock { keep throws(SQLiteError) in
                try keep.atomically { () throws(SQLiteError) in try body(keep) }
            }
        } catch {
            throw FarmClientError(error)
        }
    }

    func session() throws(FarmClientError) -> StoredSession {
        try kept { keep throws(SQLiteError) in try keep.session() }
    }

    /// After something has changed.
    func tell() { listeners.tell() }

    deinit { listeners.finish() }
}

/// Now, by the device's clock.
func now() -> Instant { Instant(microseconds: Clock.realMicroseconds()) }
