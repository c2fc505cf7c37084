/// The limits of the connection to an MQTT broker.
enum MQTTLimits {
    /// Messages that the broker sends before the first of them is acknowledged (receive maximum), and messages that
    /// wait for a list of devices.
    static let inFlight = 1000
    /// The longest packet that is read; the list of devices of zigbee2mqtt is the longest. Longer ones are skipped.
    static let packetBytes = 4 << 20
    /// The longest topic of the standard (MQTT 5, 1.5.4).
    static let topicBytes = 65_535
    /// The longest topic and the most levels of a state that an announcement names: brokers allow 128 levels or more.
    static let stateTopicBytes = 256
    static let topicLevels = 128
    /// The longest template of an announcement that is read.
    static let templateBytes = 256
    /// Seconds for which the broker stores messages while ingest is away.
    static let sessionSeconds: UInt32 = 7 * 86_400
    /// The same for a slot that only shares subscriptions: if it does not return, its share is lost until then.
    static let memberSessionSeconds: UInt32 = 600
    static let keepAliveSeconds = 30
    /// Seconds in which the broker has to answer a request to connect or a ping.
    static let patienceSeconds = 15.0
    /// Seconds that a message waits for the list of devices that names its device.
    static let unresolvedSeconds = 10.0
    /// Seconds after which a message without a time records the values that have not changed again.
    static let unchangedSeconds = 300.0
    /// Seconds in which the messages of one measurement follow each other: a device sends each quantity alone.
    static let burstSeconds = 1.0
    /// The pause between messages after which the backlog of a session has ended, and the longest time that it may
    /// take, in seconds. Until then messages without a time are recorded and raise no alarm.
    static let backlogPauseSeconds = 0.5
    static let backlogSeconds = 10.0
    /// Seconds before the end of a connection in which the acknowledgement of a recorded message may have been lost.
    static let acknowledgementSeconds = 60.0
    /// Seconds by which the clock of a gateway may be ahead, so that its messages are recorded before their own time.
    static let aheadSeconds = 300.0
    /// Devices of one list, sensors that are discovered, and filters of one connection.
    static let devices = 4096
    static let discovered = 4096
    static let filters = 64
    /// Points that are announced to Home Assistant at a time, and the seconds until the next ones.
    static let announcedPoints = 50
    /// Stored announcements of this server that are noted, so that those of former points are withdrawn.
    static let announcements = 65_536
    static let announcementSeconds = 1.0
    /// The most characters of a device's name in an id, and bytes of a text of the broker.
    static let nameCharacters = 64
    static let reasonBytes = 200
}
