extension Family {
    public static let sensors = Family(
        "sensors", "Radio devices, their receivers and alarm rules.",
        records: [.refusedValue, .onCallStep, .quietHours, .reportShare, .onCallWeeks, .onCallSwap]
    ) {
        EventType("measured", "One report of one device, with all its readings.") {
            Field("device", .deviceID, "The device that sent the report.")
            Field("format", .text, "The encoding of the report: `ruuvi5`, `zcl`, `furrow-node-1` …")
            Field("readings", .list(of: .reading), "The values of the report.")
            Field("source", .text, "The receiver: `znp:<path>`, `hci:<path>`, `capture`, `http`, `gateway/<name>`.")
            Field("counter", .natural.optional, "The device's own running number, if the format has one.")
            Field("rssi", .integer.optional, "Signal strength in dBm.")
            Field("lqi", .integer.optional, "Link quality, 0 to 255 (IEEE 802.15.4).")
            Field("repeats", .integer, "How repeated reports are recognised: the number of a `RepeatRule`.")
            Field(
                "payload", .text,
                "The bytes that all copies of the packet share, in hexadecimal; they can be decoded again.")
        }
        EventType("raw-reported", "A report of an undeclared format: its raw bytes, without readings.") {
            Field("device", .deviceID, "The device.")
            Field("profile", .integer, "The ZigBee profile; 0 if the receiver does not know it.")
            Field("cluster", .integer, "The ZigBee cluster.")
            Field("endpoint", .integer, "The device's endpoint that sent the report.")
            Field("counter", .natural.optional, "The ZCL transaction number, or else the number of the radio itself.")
            Field("payload", .text, "The payload in hexadecimal.")
            Field("source", .text, "The receiver: `znp:<path>`, `hci:<path>`, `capture`, `http`, `gateway/<name>`.")
        }
        EventType("beacon-heard", "A beacon was received; at most one such event for each beacon and minute.") {
            Field("beacon", .text, "`ibeacon:<uuid>:<major>:<minor>` or `eddystone:<id>`.")
            Field("device", .deviceID, "The device address of the beacon, which may change.")
            Field("rssi", .integer.optional, "Signal strength in dBm.")
            Field("power", .integer.optional, "RSSI at one metre, as advertised by the beacon.")
            Field("source", .text, "The receiver: `znp:<path>`, `hci:<path>`, `capture`, `http`, `gateway/<name>`.")
        }
        EventType("quarantined", "Input that claimed to be of a known format and could not be decoded.") {
            Field("source", .text, "The input: `znp:<path>`, `hci:<path>`, `capture`, `http`, `gateway/<name>`.")
            Field("reason", .text, "Why it could not be decoded, with the offset of the byte.")
            Field("length", .integer, "The number of bytes.")
            Field("bytes", .text, "The first 512 of them, in hexadecimal.")
            Field(
                "others", .integerUnlessZero,
                "The number of further undecodable inputs of the source since the previous event.")
        }
        EventType("point-bound", "A measuring point was named, placed and assigned to a device (or none).") {
            Field("point", .pointID, "The measuring point.")
            Field("title", .text, "The point's name.")
            Field("place", .place, "Where it measures.")
            Field("device", .deviceID.optional, "The device, or its probe, that measures there; omitted if none does.")
        }
        EventType(
            "rule-set",
            "An alarm rule of a place or a measuring point was set, replacing an earlier one of the same id."
        ) {
            Field("rule", .ruleID, "The rule.")
            Field("place", .place, "The place of the rule; of a point's rule, the point's place when it was set.")
            Field("quantity", .quantity, "The quantity that is compared with the limits.")
            Field(
                "above", .number.optional,
                "The upper limit; a value above it raises an alarm. Omitted if there is none.")
            Field(
                "below", .number.optional,
                "The lower limit; a value below it raises an alarm. Omitted if there is none.")
            Field("hysteresis", .number, "How far inside the limit a value must be to clear the alarm.")
            Field("enabled", .boolean, "Whether the rule is evaluated.")
            Field(
                "forSeconds", .integer.optional,
                "How long values must stay beyond the limit before the alarm is raised; omitted: not at all.")
            Field(
                "urgent", .boolean.optional,
                "False if notifications of its alarms wait until quiet hours are over; omitted: they do not wait.")
            Field(
                "point", .pointID.optional,
                "The measuring point, whose rule replaces those of its place; omitted for a rule of the place.")
            Field(
                "overMinutes", .integer.optional,
                """
                For a limit of change: the limits apply to the change within so many minutes, positive if the value \
                rises. Omitted for limits of the value.
                """)
            Field(
                "reports", .record(.reportShare).optional,
                "How many of the last reports must be beyond the limit before the alarm is raised; omitted: the newest."
            )
        }
        EventType("alarm-raised", "A value was outside its limit.") {
            Field("rule", .ruleID, "The rule.")
            Field("point", .pointID, "The measuring point; the store for a conflict of goods.")
            Field("place", .place, "The place of the rule when the alarm was raised.")
            Field(
                "device", .deviceID,
                "The device, or its probe, that reported the value; `store/<store>` for a conflict of goods.")
            Field("quantity", .quantity, "The quantity.")
            Field("value", .number, "The value, in the quantity's unit.")
            Field("limit", .number, "The limit that was crossed, in the quantity's unit.")
            Field("goods", .text.optional, "The name of the goods whose limit it is; omitted for a limit of the place.")
            Field("lots", .listUnlessEmpty(.lotID), "The lots of these goods, at most 50.")
            Field(
                "urgent", .boolean.optional,
                "False if notifications of it wait until quiet hours are over; omitted: they do not wait.")
            Field(
                "overMinutes", .integer.optional,
                "For a limit of change: its minutes; `value` is the change. Omitted for a limit of the value.")
        }
        EventType(
            "alarm-cleared",
            """
            An alarm was cleared: the value is back inside its limit, or the alarm is no longer evaluated.

            It is not evaluated after its point or rule was moved or disabled. Then `value` is the value that raised
            it.
            """
        ) {
            Field("rule", .ruleID, "The rule.")
            Field("point", .pointID, "The measuring point; the store for a conflict of goods.")
            Field("place", .place, "The place of the rule when the alarm was raised.")
            Field(
                "device", .deviceID,
                "The device, or its probe, that reported the value; `store/<store>` for a conflict of goods.")
            Field("quantity", .quantity, "The quantity.")
            Field("value", .number, "The value, in the quantity's unit.")
        }
        EventType(
            "report-heard",
            "A further receiver received a recorded report; the event's time is that receiver's clock."
        ) {
            Field("device", .deviceID, "The device.")
            Field("report", .instant, "The time of the recorded report.")
            Field("source", .text, "The receiver: `znp:<path>`, `hci:<path>`, `capture`, `http`, `gateway/<name>`.")
            Field("counter", .natural.optional, "The counter of the report, if it has one.")
            Field("rssi", .integer.optional, "Signal strength in dBm.")
            Field("lqi", .integer.optional, "Link quality, 0 to 255 (IEEE 802.15.4).")
            Field("repeats", .integer, "How repeated reports are recognised: the number of a `RepeatRule`.")
            Field(
                "payload", .text,
                "The bytes that all copies of the packet share, in hexadecimal; they can be decoded again.")
        }
        EventType("device-identified", "A device reported its make, whose decoding rules apply to its later frames.") {
            Field("device", .deviceID, "The device.")
            Field("maker", .text.optional, "The maker's name as the device reports it; omitted if it reports none.")
            Field("model", .text.optional, "The model's name as the device reports it; omitted if it reports none.")
            Field("source", .text, "The receiver: `znp:<path>`, `hci:<path>`, `capture`, `http`, `gateway/<name>`.")
        }
        EventType(
            "values-refused",
            "Implausible values of a report; they are in no `Measured`, so no view and no alarm uses them."
        ) {
            Field("device", .deviceID, "The device.")
            Field("format", .text, "The encoding of the report.")
            Field("values", .list(of: .record(.refusedValue)), "The implausible values.")
            Field("source", .text, "The receiver: `znp:<path>`, `hci:<path>`, `capture`, `http`, `gateway/<name>`.")
            Field(
                "payload", .text,
                "The bytes that all copies of the packet share, in hexadecimal; they can be decoded again.")
        }
        EventType(
            "advert-kept",
            """
            An advertisement that no decoder understood: its bytes, so that a later build can decode them.

            At most one for each device and hour.
            """
        ) {
            Field("device", .deviceID, "The device.")
            Field("reason", .text, "`unsupported`, `encrypted` or `truncated`.")
            Field("detail", .text.optional, "The decoder's error, if there is one.")
            Field("decoders", .integer, "The version of the decoders that failed.")
            Field("data", .text, "The whole advertising data in hexadecimal.")
            Field("source", .text, "The receiver: `znp:<path>`, `hci:<path>`, `capture`, `http`, `gateway/<name>`.")
            Field("rssi", .integer.optional, "Signal strength in dBm.")
        }
        EventType(
            "advert-decoded",
            """
            A stored advertisement was decoded by newer decoders: its reports are in the journal, and it is not
            decoded again.
            """
        ) {
            Field("device", .deviceID, "The device.")
            Field("heard", .instant, "When the advertisement was received.")
            Field("decoders", .integer, "The version of the decoders that decoded it.")
        }
        EventType(
            "alarm-notification-requested",
            """
            People are to be notified of an alarm that is on: at once, and step by step until it is acknowledged.

            It is requested only after a current report. An alarm that is raised again within half an hour after it
            was cleared continues its incident: the first step is not repeated.
            """
        ) {
            Field("rule", .ruleID, "The rule.")
            Field("point", .pointID, "The measuring point.")
            Field("title", .text, "The point's name.")
            Field("place", .place, "The place of the rule when the alarm was raised.")
            Field("quantity", .quantity, "The quantity.")
            Field("value", .number, "The value that raised the alarm, in the quantity's unit.")
            Field("limit", .number, "The limit that was crossed, in the quantity's unit.")
            Field("raised", .instant, "When the alarm was raised.")
            Field("goods", .text.optional, "The name of the goods whose limit it is; omitted for a limit of the place.")
            Field("lots", .listUnlessEmpty(.lotID), "The lots of these goods, at most 50.")
            Field("step", .integer, "The number of the escalation step, from 0.")
            Field("people", .list(of: .personID), "Who is to be notified; their data is in a vault.")
            Field(
                "overMinutes", .integer.optional,
                "For a limit of change: its minutes; `value` is the change. Omitted for a limit of the value.")
        }
        EventType(
            "alarm-acknowledged",
            "A person, the event's actor, took charge of an alarm: no further people are notified of it."
        ) {
            Field("rule", .ruleID, "The rule.")
            Field("point", .pointID, "The measuring point.")
            Field("comment", .text.optional, "The person's comment; omitted if there is none.")
        }
        EventType(
            "alarm-shelved",
            """
            A person, the event's actor, muted an alarm until a time. Until then no notifications of it are requested,
            even if it is raised again; if it is on and not acknowledged afterwards, people are notified from the first
            step.
            """
        ) {
            Field("rule", .ruleID, "The rule.")
            Field("point", .pointID, "The measuring point.")
            Field("until", .instant, "The end; that of the event, or an earlier one, ends the shelving at once.")
            Field("comment", .text.optional, "The person's comment; omitted if there is none.")
        }
        EventType("on-call-set", "Who is notified of alarms was set, replacing what was set earlier.") {
            Field(
                "steps", .list(of: .record(.onCallStep)),
                "The escalation steps, the earliest first; empty if no people are notified.")
            Field(
                "repeatMinutes", .integer.optional,
                "After how many minutes the last step is repeated, again and again; omitted if it is not.")
            Field(
                "quiet", .record(.quietHours).optional,
                "The hours in which people are notified of urgent alarms only; omitted if there are none.")
            Field(
                "weeks", .record(.onCallWeeks).optional,
                "Who is on call in which week; omitted if people do not take turns.")
        }
        EventType(
            "device-calibrated",
            """
            A device was calibrated: from now on the values of one quantity are corrected at its measuring point.

            The corrected value is `value * factor + offset`. Values of earlier reports keep the correction of their
            time.
            """
        ) {
            Field("device", .deviceID, "The device, or its probe.")
            Field("quantity", .quantity, "The quantity that is corrected.")
            Field("factor", .number, "What a value is multiplied with; 1 if it is not.")
            Field("offset", .number, "What is added afterwards, in the quantity's unit; 0 if nothing is.")
            Field("validUntil", .instant.optional, "When the next calibration is due; omitted if none is planned.")
            Field("certificate", .text.optional, "The number of the certificate, or how it was compared.")
        }
        EventType(
            "point-retired",
            "A measuring point is no longer used. Its history stays; it can be assigned to a device again."
        ) {
            Field("point", .pointID, "The measuring point.")
            Field("reason", .text.optional, "Why; omitted if no reason was given.")
        }
        EventType(
            "network-formed", "A coordinator formed a new ZigBee network. Devices of an earlier one have to join again."
        ) {
            Field("source", .text, "The coordinator: `znp:<path>`.")
            Field("channel", .integer, "The radio channel, 11 to 26.")
            Field("panId", .text, "The network's short number, four hexadecimal digits.")
            Field("extendedPanId", .text, "The network's long number, 16 hexadecimal digits.")
        }
        EventType("joining-permitted", "A person let devices join a ZigBee network for some time, or ended that.") {
            Field("source", .text, "The coordinator: `znp:<path>`.")
            Field("seconds", .integer, "For how long; 0 if joining was ended.")
        }
        EventType("device-joined", "A ZigBee device joined a network of the farm.") {
            Field("device", .deviceID, "The device.")
            Field("source", .text, "The coordinator: `znp:<path>`.")
            Field("short", .integer, "Its short address, which changes if it joins again.")
        }
        EventType("device-interviewed", "A ZigBee device described itself and was set up to report.") {
            Field("device", .deviceID, "The device.")
            Field("source", .text, "The coordinator: `znp:<path>`.")
            Field("isRouter", .boolean, "Whether it forwards messages of other devices.")
            Field("manufacturer", .integer, "The number of its manufacturer in the ZigBee alliance; 0 if unknown.")
            Field("reporting", .list(of: .text), "What it reports by itself: `temperature`, `battery`.")
            Field("unfulfilled", .listUnlessEmpty(.text), "What it should report and does not, with the reason.")
        }
        EventType("device-removed", "A person had a ZigBee device removed: it is requested to leave the network.") {
            Field("device", .deviceID, "The device.")
        }
        EventType("device-left", "A ZigBee device left the network.") {
            Field("device", .deviceID, "The device.")
            Field("source", .text, "The coordinator: `znp:<path>`.")
        }
        EventType("beacon-region-set", "A region of beacons was created, or its name or beacons changed.") {
            Field("region", .beaconRegionID, "The region.")
            Field("title", .text, "The name that people read.")
            Field(
                "beacons", .text,
                "The beacons in it: `ibeacon:<uuid>[:<major>[:<minor>]]` or `eddystone:<namespace>[:<instance>]`.")
        }
        EventType("beacon-region-removed", "A region of beacons is not watched any more.") {
            Field("region", .beaconRegionID, "The region.")
        }
        EventType("beacon-region-entered", "A reader receives a beacon of a region, and received none before.") {
            Field("region", .beaconRegionID, "The region.")
            Field("reader", .text, "The receiver: `hci:<path>`, `http`, `gateway/<name>`.")
            Field("beacon", .text, "The beacon that it received first, as in `beacon-heard`.")
        }
        EventType("beacon-region-left", "A reader receives no beacon of a region any more.") {
            Field("region", .beaconRegionID, "The region.")
            Field("reader", .text, "The receiver: `hci:<path>`, `http`, `gateway/<name>`.")
        }
    }
}

extension RecordType {
    static let onCallStep = RecordType("OnCallStep", "People who are notified of an alarm after some time.") {
        Field("afterMinutes", .integer, "Minutes after the first notification of the alarm; 0 for the first step.")
        Field("people", .list(of: .personID), "Who is notified; their data is in a vault.")
        Field(
            "onCall", .boolean.optional,
            "True if the person who is on call that week is notified, too; omitted if not.")
    }
}

extension RecordType {
    static let onCallWeeks = RecordType("OnCallWeeks", "People who take turns: each is on call for a week.") {
        Field("begins", .instant, "When the first week begins. The others begin at the same time of the same weekday.")
        Field("zone", .text, "The time zone of that time: `Europe/Vienna`.")
        Field("people", .list(of: .personID), "Who is on call, in the order of the weeks; then from the start again.")
        Field("swaps", .listUnlessEmpty(.record(.onCallSwap)), "Weeks in which another person is on call.")
    }

    static let onCallSwap = RecordType("OnCallSwap", "A week in which another person than planned is on call.") {
        Field("week", .instant, "The beginning of the week, or any other time in it.")
        Field("person", .personID, "Who is on call that week.")
    }
}

extension RecordType {
    static let quietHours = RecordType("QuietHours", "Hours of each day in which only urgent alarms are notified of.") {
        Field("from", .text, "When they begin, by the clocks of the zone: `21:30`.")
        Field("to", .text, "When they end; before `from` if that is on the next day.")
        Field("zone", .text, "The time zone: `Europe/Vienna`.")
    }
}

extension RecordType {
    static let refusedValue = RecordType("RefusedValue", isHandWritten: true, "One implausible value and the reason.") {
        Field("quantity", .quantity, "The quantity.")
        Field("value", .number.optional, "The value; nil if the bytes were no finite number.")
        Field("reason", .text, "The reason: `out-of-range`, `failure-code`, `no-such-channel`.")
    }
}

extension RecordType {
    static let reportShare = RecordType("ReportShare", "A number of the last reports of a measuring point.") {
        Field("beyond", .integer, "How many of them must be beyond the limit.")
        Field("of", .integer, "How many of the last reports are counted.")
    }
}
