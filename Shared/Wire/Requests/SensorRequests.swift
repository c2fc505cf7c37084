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
