/// The limits of sensor-ingest.
enum SensorLimits {
    static let adverts = 2000
    static let capturedFrames = 50_000
    /// The most measurements that the response to a batch lists.
    static let accepted = 2000
    /// The most bytes that are stored of a quarantined input.
    static let quarantineBytes = 512
    /// The most bytes of a stored advertisement that was not understood, and the most devices with one per hour.
    static let keptAdvertBytes = 1650
    static let keptDevices = 256
    /// The most bytes of a maker's or model's name.
    static let makeBytes = 128
    /// The most readings of a report, and the most implausible values. Further ones are counted as refused.
    static let values = 64
    static let pageItems = 500
    static let onCallPeople = 32
    static let onCallSwaps = 52
    /// The weeks of the rota that a response lists.
    static let onCallWeeks = 9
    static let countedReports = 20
    /// The most lots that an alarm names.
    static let namedLots = 50
    static let retentionDays = 730
    static let retentionDaysMin = 400
    /// Seconds of running time until the next try: after a segment that is not old enough, after a request or prune
    /// that failed, and the timeout of a prune.
    static let retentionPause = 86_400.0
    static let retentionRetry = 600.0
    static let retentionPatience = 600.0
    /// The most packets remembered while devices repeat them.
    static let rebroadcasts = 65_536
    /// Days after its recording for which a report is recognised as a repetition.
    static let reportDays: Int64 = 8
    static let manualDays = 400
    static let manualAheadSeconds = 120.0
    /// The most values of one report that another program has decoded.
    static let sentValues = 64
    /// The most batches that wait for the keys of sensors after the start.
    static let earlyBatches = 64
    /// The most readers whose beacons are shown, beacons that one request to the gateway lists, and beacons whose
    /// telemetry is known.
    static let readers = 64
    static let nearbyBeacons = 256
    static let beaconTelemetry = 4096
    /// Seconds by which a reception may be old to count as current, and after which a silent reader is forgotten.
    static let rangingSeconds = 10.0
    static let readerSeconds = 10.0
    /// The most regions of beacons, and readers in them; seconds without a reception after which a reader has left.
    static let regions = 100
    static let regionVisits = 6400
    static let regionSeconds = 30.0
    /// The most receivers whose clock offset is stored.
    static let receivers = 10_000
}
