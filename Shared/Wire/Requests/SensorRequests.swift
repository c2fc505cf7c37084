/// The names of sensor-ingest's commands. Slot 0 alone decides those that do not carry received messages.
public enum SensorCommandName: String, RequestName {
    public static let service = "sensor-ingest"

    /// Raw advertisements, and values of characteristics.
    case ingestAdverts = "ingest-adverts"
    /// Reports that another program has decoded.
    case ingestValues = "ingest-values"
    /// The packets of a capture file.
    case ingestCapture = "ingest-capture"
    /// Values that people read themselves.
    case recordReadings = "record-readings"
    case bindPoint = "bind-point"
    case retirePoint = "retire-point"
    case calibrateDevice = "calibrate-device"
    case setRule = "set-rule"
    case acknowledgeAlarm = "acknowledge-alarm"
    case shelveAlarm = "shelve-alarm"
    case setOnCall = "set-on-call"
    case setBeaconRegion = "set-beacon-region"
    case removeBeaconRegion = "remove-beacon-region"
    /// The beacons that another slot received, for slot 0.
    case beaconsNear = "beacons-near"
    case formNetwork = "form-network"
    case permitJoining = "permit-joining"
    case removeDevice = "remove-device"
    case backUpCoordinator = "back-up-coordinator"
    case restoreCoordinator = "restore-coordinator"
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
