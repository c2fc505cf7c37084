/// The names of the requests that sync-gateway answers to other processes of the farm server.
public enum GatewayRequestName: String, RequestName {
    public static let service = "sync-gateway"

    /// A slot of sensor-ingest reports that it runs, and which keys of devices it has.
    case hello
    /// The beacons that a slot of sensor-ingest received.
    case beaconsNear = "beacons-near"
    /// The evidence of a proxy that is not trusted, for `furrow doctor`.
    case proxyEvidence = "proxy-evidence"
    case auditLog = "audit-log"
    /// A new link to create the first administrator.
    case setupLink = "setup-link"
    /// A new link with which a person sets another password.
    case userReset = "user-reset"
    case deviceKey = "device-key"
    /// What `furrow watch` found on the machine.
    case serverReport = "server-report"
}
