import JSON
import SQLite
import Synchronization
import System
public import Vocabulary

/// A farm's market and the stories of its boxes on a device, with and without a network.
///
/// All records and pending changes are in one file on the device. `sync` sends pending changes and pulls updates, with
/// the protocol of the farm's own pages (`Services/SyncGateway/README.md`, "Synchronisation"). It may be used
/// from any task. One process opens a folder at a time. Personal data is not encrypted in that file: use a folder that
/// only its owner may read.
///
/// ```
/// let farm = try FarmClient(server: "https://farm.example", folder: folder)
/// try await farm.sync()
/// let offers = try farm.records(.offers)
/// try farm.order([OrderItem(offer: offers[0].id, quantity: 2)], pickup: "barn")
/// try await farm.sync()
/// ```
public final class FarmClient: Sendable {
    let server: Server
    let turns = Mutex(SyncCoordinator())
    /// What is shared with others in this network; nil if nothing is.
    let shared: Neighbours?
    private let keep: Mutex<ClientStore>
    /// The app's streams of changes of the local data.
    private let listeners = Listeners()
    /// Notified when a synchronisation is due: new data on the server, a pending change, a sign-in.
    let occasions = Listeners()
    let calls = BlockingCallPool()
    let pictureMemory = Mutex(PictureMemory(bytes: ClientLimits.memoryBytes))
    let pictures = Mutex<[String: Task<Result<[UInt8], FarmClientError>, Never>]>([:])

    /// Opens the client's data in a folder, which is created if missing; makes no request.
    ///
    /// - Parameters:
    ///   - server: the farm server's address, such as `https://farm.example`.
    ///   - folder: where the data is stored; one client at a time.
    ///   - caFile: the PEM file of the authority to trust, if it is the farm's own; nil trusts the system's.
    ///   - sharing: how public content is shared with others in the same network; nil shares nothing.
    /// - Throws: `misuse`, `inUse`, `store`.
    public init(
        server: String, folder: String, caFile: String? = nil, sharing: SharingOptions? = nil
    ) throws(FarmClientError) {
        self.server = try Server(server, caFile: caFile)
        do throws(SystemError) {
            try Directory.create(folder, mode: 0o700)
        } catch {
            throw FarmClientError(.store, "The folder cannot be created: \(error)")
        }
        let store = try ClientStore(path: "\(folder)/farm.db")
        let address = self.server.address
        shared = try sharing.map { options throws(FarmClientError) in
            try Neighbours(options, farm: address, folder: folder)
        }
        do throws(SQLiteError) {
            shared?.key = try store.fact(.publisherKey).flatMap(BaseEncoding.base64url.decode)
            shared?.takeSealingKey(try store.fact(.sealingKey).flatMap(BaseEncoding.base64url.decode))
        } catch {
            throw FarmClientError(error)
        }
        keep = Mutex(store)
    }

    // MARK: Local data

    /// Returns the records of a table, in the order of their ids.
    public func records(_ table: FarmTable) throws(FarmClientError) -> [FarmRecord] {
        try kept { keep throws(SQLiteError) in
            try keep.bodies(table).compactMap { FarmRecord(table: table, id: $0.id, json: $0.body) }
        }
    }

    /// Returns one record; nil if there is none.
    public func record(_ table: FarmTable, _ id: String) throws(FarmClientError) -> FarmRecord? {
        try kept { keep throws(SQLiteError) in
            try keep.body(table, id).flatMap { FarmRecord(table: table, id: id, json: $0) }
        }
    }

    /// Returns the ways to pay an order, as of the last pull: `at-pickup`, `sandbox`.
    public func payments() throws(FarmClientError) -> [String] {
        let told: String? = try kept { keep throws(SQLiteError) in try keep.fact(.payments) }
        guard let told, let list = parsed(told), case .array(let words) = list else { return [] }
        return words.compactMap { if case .string(let word) = $0 { word } else { nil } }
    }

    /// Returns when the data was last complete; nil before the first synchronisation.
    public func pulledAt() throws(FarmClientError) -> Instant? {
        try kept { keep throws(SQLiteError) in
            try [keep.session().mark, keep.snapshotMark()].compactMap { $0?.at }.max().map { Instant(microseconds: $0) }
        }
    }

    /// Returns the signed-in person; nil if none.
    public func me() throws(FarmClientError) -> FarmPerson? {
        try session().me
    }

    /// Returns the changes made here that are not done yet, or were refused, of all users of this device (`person`).
    public func pendingChanges() throws(FarmClientError) -> [PendingChange] {
        try kept { keep throws(SQLiteError) in try keep.pendingChanges() }
    }

    /// Returns the server's id of an order made here; nil while it is pending. Known for the newest thousand.
    public func order(of pendingChange: PendingChange) throws(FarmClientError) -> String? {
        try kept { keep throws(SQLiteError) in try keep.name(ofSent: pendingChange.id) }
    }

    /// Returns a stream that yields after local data has changed; several changes may give one element.
    ///
    /// It finishes with the client.
    public func changes() -> AsyncStream<Void> { listeners.stream() }

    // MARK: Internal

    /// Reads or writes the file in one transaction.
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

    /// Notifies the app after a change of local data.
    func tell() { listeners.tell() }

    deinit { listeners.finish() }
}

/// Returns the current time, by the device's clock.
func now() -> Instant { Instant(microseconds: Clock.realMicroseconds()) }
