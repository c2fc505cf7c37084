public import EventSourcing
public import EventStore
public import JetStream
public import Vocabulary

extension Slot {
    /// Opens the journal of this instance, as its only writer.
    ///
    /// It is in the slot's folder. If `FURROW_CLUSTER` names a cluster, it is there, and the folder has a replica.
    public func openJournal(of origin: Origin, _ settings: Settings, at now: Instant) throws -> SQLiteLog {
        let path = "\(folder)/\(SQLiteLog.fileName)"
        guard let cluster = try settings.cluster(for: origin.description) else {
            return try SQLiteLog(path: path, feed: origin.description, why: "created", at: now)
        }
        return try cluster.open(path, feed: origin.description, why: "created", at: now)
    }
}

extension Settings {
    /// Returns the cluster that stores the journals, or nil if `FURROW_CLUSTER` is not set.
    ///
    /// `FURROW_CLUSTER` lists the addresses of its servers, separated by commas. `FURROW_CLUSTER_KEY` is the key of
    /// what is encrypted there: 64 hexadecimal digits. `FURROW_CLUSTER_CREDENTIALS` and `FURROW_CLUSTER_CERTIFICATES`
    /// are paths of a NATS credentials file, and of the certificates that sign those of the servers.
    ///
    /// - Parameter name: the name under which the cluster lists this client.
    public func cluster(for name: String) throws(SettingError) -> Cluster? {
        guard let addresses = self["CLUSTER"] else { return nil }
        guard let key = Hex.decode(try required("CLUSTER_KEY")), key.count == Cluster.keySize else {
            throw SettingError(name: "FURROW_CLUSTER_KEY", reason: "must be \(Cluster.keySize * 2) hexadecimal digits")
        }
        return Cluster(
            servers: addresses.split(separator: ",").map { $0.trimmingSpaces }, key: key, name: name,
            credentials: self["CLUSTER_CREDENTIALS"], certificates: self["CLUSTER_CERTIFICATES"])
    }
}

extension Substring {
    /// The text without spaces around it.
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
