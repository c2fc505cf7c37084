// Devices, measuring points and whether they report.
extension RecordType {
    static let deviceResponse = RecordType("HeardDeviceResponse", "A device whose reports were received.") {
        Field("device", .deviceID, "The device: `zb:` or `ble:` and its address, or another name.")
        Field("format", .text, "The format of its reports.")
        Field("last", .instant.optional, "When its newest report was received.")
        Field("reports", .integer, "The number of its reports.")
        Field("copies", .integer, "The number of reports that another slot had recorded already.")
        Field("readings", .list(of: .reading), "The readings of its newest report: `quantity`, `value`, `unit`.")
        Field("rssi", .integer.optional, "The signal strength of the newest report in dBm.")
        Field("lqi", .integer.optional, "The link quality of the newest report, 0 to 255 (ZigBee).")
        Field("battery", .number.optional, "The charge of its battery in per cent.")
        Field("source", .text, "The receiver of its newest report.")
        Field("point", .pointID.optional, "The measuring point that it is assigned to.")
        Field("maker", .text.optional, "Who made it.")
        Field("model", .text.optional, "Its model.")
        Field("refused", .record(.refusedResponse).optional, "The newest value of it that was refused as implausible.")
    }

    static let refusedResponse = RecordType("RefusedResponse", "A value that was refused as implausible.") {
        Field("quantity", .quantity, "The quantity.")
        Field("value", .number.optional, "The value; omitted if the bytes were no finite number.")
        Field("unit", .text, "The quantity's unit.")
        Field("reason", .text, "Why: `out-of-range`, `failure-code`, `no-such-channel`.")
        Field("at", .instant, "When it was received.")
    }

    static let unreadDeviceResponse = RecordType("UnreadDeviceResponse", "A device whose adverts cannot be decoded.") {
        Field("device", .deviceID, "The device.")
        Field("reason", .enumeration(.unreadReason), "Why they cannot be decoded.")
        Field("detail", .text.optional, "The decoder's error.")
        Field("last", .instant, "When the newest advert was received.")
        Field("source", .text, "Its receiver.")
        Field("rssi", .integer.optional, "Its signal strength in dBm.")
        Field("data", .text, "Its whole advertising data in hexadecimal.")
    }

    static let pointResponse = RecordType("PointResponse", "A measuring point.") {
        Field("point", .pointID, "The point.")
        Field("title", .text, "What people call it.")
        Field("place", .place, "The plot or store in which it is.")
        Field("device", .deviceID.optional, "The device that measures there.")
    }

    static let calibrationResponse = RecordType("CalibrationResponse", "The calibration of a device's quantity.") {
        Field("since", .instant, "When it was made; earlier values are not corrected.")
        Field("calibration", .fields(of: Family.sensors.event("device-calibrated")), "The correction.")
    }

    static let reportingResponse = RecordType("ReportingResponse", "Whether reports arrive from every receiver.") {
        Field("at", .instant, "The time of the response.")
        Field("sensors", .integer, "The number of points with a sensor.")
        Field("silentSensors", .integer, "The number of those that have not reported for too long.")
        Field(
            "withinMinutes", .integer.optional, "All sensors reported within so many minutes; omitted if one is silent."
        )
        Field("silent", .list(of: .record(.silentSensor)), "The silent sensors, at most 200.")
        Field("limits", .integer, "The number of limits that are watched.")
        Field("radios", .list(of: .record(.silentRadio)), "The connected radios that do not work.")
        Field("brokers", .list(of: .record(.brokerResponse)), "The connections to MQTT brokers.")
    }

    static let silentSensor = RecordType("SilentSensorResponse", "A sensor that has not reported for too long.") {
        Field("point", .pointID, "Its measuring point.")
        Field("title", .text, "What people call the point.")
        Field("place", .place, "The plot or store.")
        Field("device", .deviceID.optional, "The device.")
        Field("since", .instant.optional, "When it reported last; omitted if never.")
    }

    static let silentRadio = RecordType("SilentRadioResponse", "A connected radio that does not work.") {
        Field("source", .text, "The radio: `znp:<path>`, `hci:<path>`.")
        Field("trouble", .text, "What is wrong, in words.")
    }

    static let brokerResponse = RecordType("BrokerResponse", "A connection to an MQTT broker.") {
        Field("source", .text, "The broker.")
        Field("connected", .instant.optional, "Since when it is connected; omitted if it is not.")
        Field("lastMessage", .instant.optional, "When its last message was received.")
        Field("messages", .integer, "The messages since the start.")
        Field("refused", .integer, "Those of them that could not be used.")
        Field("offlineDevices", .integer, "The devices that it reports as offline.")
    }
}

extension EnumType {
    static let unreadReason = EnumType(
        "UnreadReason", "Why adverts cannot be decoded.",
        [
            Case("unsupported", "No decoder knows the format."), Case("encrypted", "The device's key is not known."),
            Case("truncated", "The advert is too short."),
        ])
}

// Beacons and ZigBee networks.
extension RecordType {
    static let beaconRegionResponse = RecordType("BeaconRegionResponse", "A set of beacons that are watched together.")
    {
        Field("region", .beaconRegionID, "The region.")
        Field("title", .text, "What people call it.")
        Field("beacons", .text, "Its beacons: `ibeacon:<uuid>[:<major>[:<minor>]]` or `eddystone:<namespace>[:<id>]`.")
        Field("readers", .list(of: .record(.regionReader)), "The readers that receive one of them now.")
    }

    static let regionReader = RecordType("RegionReaderResponse", "A reader that receives a beacon of a region.") {
        Field("reader", .text, "The reader.")
        Field("beacon", .text, "The beacon.")
        Field("since", .instant, "Since when.")
    }

    static let zigbeeDeviceResponse = RecordType("ZigBeeDeviceResponse", "A device that joined a network of the farm.")
    {
        Field("device", .deviceID, "The device.")
        Field("source", .text, "The coordinator: `znp:<path>`.")
        Field("joined", .instant, "When it joined.")
        Field("interviewed", .instant.optional, "When it described itself; omitted if it has not.")
        Field("isRouter", .boolean, "Whether it passes on messages of others.")
        Field("isRemoved", .boolean, "Whether a person had it removed.")
        Field("reporting", .text, "What it was set up to report.")
        Field("unfulfilled", .text, "What it refused to report.")
        Field("maker", .text.optional, "Who made it.")
        Field("model", .text.optional, "Its model.")
        Field("last", .instant.optional, "When its newest report was received.")
        Field("point", .pointID.optional, "The measuring point that it is assigned to.")
    }

    static let coordinatorResponse = RecordType("CoordinatorResponse", "A ZigBee coordinator of this server.") {
        Field("source", .text, "The coordinator: `znp:<path>`.")
        Field("state", .enumeration(.coordinatorState), "What it is doing.")
        Field("trouble", .text.optional, "Why it does not work.")
        Field("formingFailure", .text.optional, "Why it could not form a network.")
        Field("firmware", .text.optional, "Its firmware.")
        Field("device", .deviceID.optional, "Its address.")
        Field("panId", .text.optional, "The short number of its network, in hexadecimal.")
        Field("extendedPanId", .text.optional, "The long number of its network, in hexadecimal.")
        Field("channel", .integer.optional, "The radio channel of its network, 11 to 26.")
        Field("openSeconds", .integer.optional, "For how many seconds devices may still join; omitted: they may not.")
    }

    static let coordinatorBackup = RecordType("CoordinatorBackupResponse", "The last backup of a coordinator.") {
        Field("state", .enumeration(.backupState), "Whether there is one.")
        Field("backup", .json.optional, "The backup in the Open Coordinator Backup Format, with the network key.")
    }
}

extension EnumType {
    static let coordinatorState = EnumType(
        "CoordinatorState", "What a coordinator is doing.",
        [
            Case("starting", "It is being set up."), Case("blank", "It has no network."),
            Case("forming", "It forms a network."), Case("running", "Its network runs."),
            Case("reading", "A backup is read from it."), Case("restoring", "A backup is written to it."),
        ])

    static let backupState = EnumType(
        "CoordinatorBackupState", "Whether there is a backup.",
        [Case("none", "There is none."), Case("reading", "It is being read."), Case("ready", "It is complete.")])
}

// Limits, alarms and who is notified.
extension RecordType {
    static let ruleResponse = RecordType("RuleResponse", "A limit that raises alarms.") {
        Field("rule", .fields(of: Family.sensors.event("rule-set")), "The limit.")
        Field("goods", .text.optional, "The goods whose storage limit it is.")
    }

    static let alarmResponse = RecordType("AlarmResponse", "An alarm of a limit at a measuring point.") {
        Field("rule", .ruleID, "The limit.")
        Field("point", .pointID, "The measuring point.")
        Field("place", .place, "The plot or store.")
        Field("device", .deviceID, "The device that reported the value.")
        Field("quantity", .quantity, "The quantity.")
        Field("value", .number, "The value that raised it, in the quantity's unit.")
        Field("limit", .number, "The limit, in the quantity's unit.")
        Field("overMinutes", .integer.optional, "For a limit of change: within so many minutes.")
        Field("goods", .text.optional, "The goods whose limit it is.")
        Field("lots", .listUnlessEmpty(.lotID), "The lots of these goods that are stored there.")
        Field("raised", .instant, "When it was raised.")
        Field("cleared", .instant.optional, "When it was cleared; omitted while it is on.")
        Field("notified", .instant.optional, "When people were last notified of it.")
        Field("step", .integer.optional, "The last step of notification, from 0.")
        Field("acknowledged", .instant.optional, "When a person acknowledged it.")
        Field("acknowledgedBy", .text.optional, "Who acknowledged it.")
        Field("comment", .text.optional, "What the person said of it.")
        Field("shelved", .record(.shelving).optional, "Until when it is muted.")
    }

    static let shelving = RecordType("ShelvingResponse", "Until when an alarm is muted.") {
        Field("until", .instant, "The end.")
        Field("by", .text, "Who muted it.")
        Field("comment", .text.optional, "Why.")
    }

    static let onCallResponse = RecordType("OnCallResponse", "Who is notified of alarms.") {
        Field("setting", .fields(of: Family.sensors.event("on-call-set")), "The steps, quiet hours and weeks.")
        Field(
            "upcoming", .list(of: .record(.onCallWeek)).optional,
            "Who is on call from now on; omitted if people do not take turns.")
    }

    static let onCallWeek = RecordType("OnCallWeekResponse", "A week, and who is on call in it.") {
        Field("begins", .instant, "The beginning.")
        Field("ends", .instant, "The end.")
        Field("person", .personID, "Who is on call.")
        Field("isSwapped", .boolean, "Whether another person was planned.")
    }
}
