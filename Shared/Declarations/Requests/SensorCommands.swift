extension CommandFamily {
    static let sensors = CommandFamily(
        "SensorCommandName", of: "sensor-ingest",
        "The names of sensor-ingest's commands, which slot 0 alone decides: what people set of points, alarms and radios.",
        CommandType.points + CommandType.alarms + CommandType.beaconRegions + CommandType.networks)
}

// Measuring points, their limits and what people read themselves.
extension CommandType {
    static let points = [
        CommandType(
            "record-readings",
            "Records values that people read themselves: all rows, or none if one has an error; rows count from 0."
        ) {
            Member("rows", .list(.record(.manualRow), 1...500), "The values of each point and time.")
            Member("check", .flag, "Whether the rows are only checked.")
        },
        CommandType("bind-point", "Names a measuring point, and assigns the device that measures there.") {
            Member("point", .name("PointID"), "The name of the point, which stays.")
            Member("title", .line, "What people call it.")
            Member("place", .place, "The plot or store in which it is.")
            Member("device", .device.optional, "The device that measures there; by default none.")
        },
        CommandType(
            "retire-point",
            "Ends the use of a measuring point: it is no longer listed or watched. Its history stays."
        ) {
            Member("point", .name("PointID"), "The point.")
            Member("reason", .line.optional, "Why.")
        },
        CommandType(
            "calibrate-device",
            "Corrects a device's values of one quantity from now on: value × factor + offset."
        ) {
            Member("device", .device, "The device.")
            Member("quantity", .quantity, "The quantity.")
            Member("factor", .number(0.01...100).optional, "The factor; 1 by default.")
            Member("offset", .number(-1e6...1e6).optional, "What is added, in the quantity's unit; 0 by default.")
            Member("validUntil", .instant.optional, "When the calibration has to be repeated.")
            Member("certificate", .line.optional, "The number of the certificate.")
        },
        CommandType("set-rule", "Sets a limit of a place, or of one measuring point.") {
            Member("rule", .name("RuleID"), "The name of the limit, which stays.")
            Member("place", .place.optional, "The plot or store; either this or a point is named.")
            Member("point", .name("PointID").optional, "The measuring point.")
            Member("quantity", .quantity, "The quantity.")
            Member("above", .limit.optional, "An alarm is raised above this value, in the quantity's unit.")
            Member("below", .limit.optional, "An alarm is raised below this value, in the quantity's unit.")
            Member(
                "hysteresis", .number(0...1e9).optional,
                "How far a value has to be back within the limits before the alarm is cleared.")
            Member("enabled", .flag.optional, "Whether it raises alarms; true by default.")
            Member("forSeconds", .whole(0...86_400).optional, "How long values have to be beyond it; 0 by default.")
            Member("urgent", .flag.optional, "Whether people are also notified in quiet hours; true by default.")
            Member(
                "overMinutes", .whole(1...1440).optional,
                "If set, the change of the value during so many minutes is compared.")
            Member("reports", .record(.reportShare).optional, "How many of the last reports have to be beyond it.")
        },
    ]

    static let alarms = [
        CommandType(
            "acknowledge-alarm",
            "Acknowledges an alarm: the caller takes charge of it, and no further people are notified."
        ) {
            Member.alarm
            Member("comment", .lines(500).optional, "What the caller knows or does.")
            Member("raised", .instant.optional, "When it was raised; refused if another one was raised since.")
        },
        CommandType(
            "shelve-alarm",
            "Mutes an alarm: for so many minutes no notifications of it are sent, even if it is raised again. 0 ends that."
        ) {
            Member.alarm
            Member("minutes", .whole(0...10_080), "How long.")
            Member("comment", .lines(500).optional, "Why.")
        },
        CommandType(
            "set-on-call",
            "Sets who is notified of alarms: the first step at once, the others until it is acknowledged."
        ) {
            Member("steps", .list(.record(.onCallStep), 0...8), "Who is notified after how many minutes.")
            Member("repeatMinutes", .whole(1...10_080).optional, "After how many minutes the last step is repeated.")
            Member("quiet", .record(.quietHours).optional, "When people are notified of urgent alarms only.")
            Member("weeks", .record(.onCallWeeks).optional, "People who take turns.")
        },
    ]

    static let beaconRegions = [
        CommandType(
            "set-beacon-region",
            "Watches beacons: `ibeacon:UUID[:major[:minor]]` or `eddystone:namespace[:instance]`. A reader enters with "
                + "the first one that it receives, and has left after 30 s without one."
        ) {
            Member("region", .name("BeaconRegionID"), "The name of the region, which stays.")
            Member("title", .line, "What people call it.")
            Member("beacons", .line, "The beacons that belong to it.")
        },
        CommandType("remove-beacon-region", "Ends the watching of a region of beacons.") {
            Member("region", .name("BeaconRegionID"), "The region.")
        },
    ]

    static let networks = [
        CommandType(
            "form-network",
            "Has a coordinator form a new network with a random key. An existing network is erased if `replaces` is "
                + "its `panId`; all its devices have to join again."
        ) {
            Member.source
            Member("channel", .whole(11...26).optional, "The channel; 20 by default.")
            Member.replaces
        },
        CommandType("permit-joining", "Lets devices join a coordinator's network for so many seconds; 0 ends that.") {
            Member.source
            Member("seconds", .whole(0...254), "How long.")
        },
        CommandType(
            "remove-device",
            "Requests that a device leaves its network, now and whenever it sends something. What it has measured stays."
        ) {
            Member("device", .device, "The device.")
        },
        CommandType(
            "back-up-coordinator",
            "Begins to read a backup of a coordinator's network; `/v1/coordinators/backup` returns it."
        ) {
            Member.source
        },
        CommandType(
            "restore-coordinator",
            "Gives a coordinator the network of a backup, also one of another make, so that no device has to join "
                + "again. An existing network is erased if `replaces` is its `panId`. Unplug the former coordinator "
                + "first."
        ) {
            Member.source
            Member("backup", .anything, "The backup, in the Open Coordinator Backup Format.")
            Member.replaces
        },
    ]
}

extension MemberType {
    fileprivate static let limit = number(-1e9...1e9)
}

extension Member {
    fileprivate static let source = Member("source", .line, "The coordinator, by the name of its serial line.")
    fileprivate static let replaces = Member(
        "replaces", .line.optional, "The `panId` of the existing network that is erased.")
    fileprivate static let alarm = [
        Member("rule", .name("RuleID"), "The limit that raised it."),
        Member("point", .name("PointID"), "The measuring point."),
    ]
}

extension BodyRecord {
    fileprivate static let manualRow = BodyRecord(
        "ManualRow", isCheckedByRules: true, "Values of one point at one time."
    ) {
        Member("point", .name("PointID"), "The measuring point.")
        Member("at", .instant.optional, "When they were read; by default just now.")
        Member("readings", .list(.record(.manualReading), 1...64), "The values, each of another quantity.")
    }

    fileprivate static let manualReading = BodyRecord(
        "ManualReading", isCheckedByRules: true, "A value in its quantity's unit."
    ) {
        Member("quantity", .quantity, "The quantity.")
        Member("value", .limit, "The value.")
    }

    fileprivate static let reportShare = BodyRecord(
        "ReportShare", isOfEvents: true, isCheckedByRules: true, "A number of the last reports."
    ) {
        Member("beyond", .whole(1...20), "So many of them have to be beyond the limit.")
        Member("of", .whole(1...20), "So many are counted.")
    }

    fileprivate static let onCallStep = BodyRecord(
        "OnCallStep", isOfEvents: true, isCheckedByRules: true, "People who are notified after some time."
    ) {
        Member("afterMinutes", .whole(0...10_080), "After how many minutes: 0 in the first step.")
        Member("people", .list(.name("PersonID"), 0...32), "The people.")
        Member("onCall", .flag, "Whether the person who is on call is notified, too.")
    }

    fileprivate static let quietHours = BodyRecord(
        "QuietHours", isOfEvents: true, isCheckedByRules: true, "Hours of each day."
    ) {
        Member("from", .clock, "When they begin.")
        Member("to", .clock, "When they end.")
        Member("zone", .line, "The time zone of the clock, as `Europe/Vienna`.")
    }

    fileprivate static let onCallWeeks = BodyRecord(
        "OnCallWeeks", isOfEvents: true, isCheckedByRules: true, "People who take turns: each has a week."
    ) {
        Member("begins", .instant, "When the first week of the first person begins.")
        Member("zone", .line, "The time zone in which weeks begin, as `Europe/Vienna`.")
        Member("people", .list(.name("PersonID"), 1...32), "The people, in their order.")
        Member("swaps", .listOrEmpty(.record(.onCallSwap), atMost: 52), "Weeks in which another person is on call.")
    }

    fileprivate static let onCallSwap = BodyRecord(
        "OnCallSwap", isOfEvents: true, isCheckedByRules: true, "A week in which another person is on call."
    ) {
        Member("week", .instant, "When the week begins.")
        Member("person", .name("PersonID"), "The person.")
    }
}
