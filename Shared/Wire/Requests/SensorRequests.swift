/// The names of the requests with what was received by radio. Their bodies have the forms of the receivers.
public enum ReceptionName: String, RequestName {
    public static let service = SensorCommandName.service

    /// Raw advertisements, and values of characteristics.
    case ingestAdverts = "ingest-adverts"
    /// Reports that another program has decoded.
    case ingestValues = "ingest-values"
    /// The packets of a capture file.
    case ingestCapture = "ingest-capture"
    /// The beacons that another slot received, for slot 0.
    case beaconsNear = "beacons-near"
}

/// The names of sensor-ingest's queries.
public enum SensorQueryName: String, RequestName {
    public static let service = "sensor-ingest"

    case devices
    case points
    case rules
    case beaconRegions = "beacon-regions"
    case calibrations
    case alarms
    case alarmHistory = "alarm-history"
    case onCall = "on-call"
    /// The devices whose reports are received and not understood.
    case unreadDevices = "unread-devices"
    /// Whether reports arrive from every receiver.
    case reporting
    case zigbeeDevices = "zigbee-devices"
    case coordinators
    /// The last backup of a coordinator, which contains the network key.
    case coordinatorBackup = "coordinator-backup"
}
