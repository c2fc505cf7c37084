extension Family {
    /// TODO
    public static let sensors = Family(
        "sensors", "TODO",
        records: [.refusedValue],
        enums: []
    ) {
        EventType("measured", "One report of one device, with all its readings.") {
            Field("device", .deviceID, "TODO device")
            Field("format", .text, "The encoding of the report: `ruuvi5`, `zcl`, `furrow-node-1` …")
            Field("readings", .list(of: .reading), "TODO readings")
            Field("source", .text, "The receiver: `tty`, `capture`, `gateway/<name>`.")
            Field("counter", .natural.optional, "The device's own running number, if the format has one.")
            Field("rssi", .integer.optional, "Signal strength in dBm.")
            Field("lqi", .integer.optional, "Link quality, 0 to 255 (IEEE 802.15.4).")
            Field("repeats", .integer, "How repeated reports are recognised: the number of a `RepeatRule`.")
            Field(
                "payload", .text,
                "The original bytes in hexadecimal: equal in all copies, and available for decoding again.")
        }
        EventType("raw-reported", "A report of an undeclared format: its raw bytes, without readings.") {
            Field("device", .deviceID, "TODO device")
            Field("profile", .integer, "TODO profile")
            Field("cluster", .integer, "TODO cluster")
            Field("endpoint", .integer, "TODO endpoint")
            Field("counter", .natural.optional, "The transaction sequence number.")
            Field("payload", .text, "The payload in hexadecimal.")
            Field("source", .text, "TODO source")
        }
        EventType("beacon-heard", "A beacon was received; at most one such event for each beacon and minute.") {
            Field("beacon", .text, "`ibeacon:<uuid>:<major>:<minor>` or `eddystone:<id>`.")
            Field("device", .deviceID, "The device address of the beacon, which may change.")
            Field("rssi", .integer.optional, "TODO rssi")
            Field("power", .integer.optional, "RSSI at one metre, as advertised by the beacon.")
            Field("source", .text, "TODO source")
        }
        EventType("quarantined", "Input that claimed to be of a known format and could not be decoded.") {
            Field("source", .text, "TODO source")
            Field("reason", .text, "TODO reason")
            Field("length", .integer, "The number of bytes.")
            Field("bytes", .text, "The first 512 of them, in hexadecimal.")
            Field(
                "others", .integerUnlessZero,
                "The number of further undecodable inputs of the source since the previous event.")
        }
        EventType("point-bound", "A measuring point was named, placed and assigned to a device (or none).") {
            Field("point", .pointID, "TODO point")
            Field("title", .text, "TODO title")
            Field("place", .place, "TODO place")
            Field("device", .deviceID.optional, "TODO device")
        }
        EventType("rule-set", "An alarm rule of a place was set, replacing an earlier one of the same id.") {
            Field("rule", .ruleID, "TODO rule")
            Field("place", .place, "TODO place")
            Field("quantity", .quantity, "TODO quantity")
            Field("above", .number.optional, "The upper limit; a value above it raises an alarm.")
            Field("below", .number.optional, "The lower limit; a value below it raises an alarm.")
            Field("hysteresis", .number, "How far inside the limit a value must be to clear the alarm.")
            Field("enabled", .boolean, "TODO enabled")
        }
        EventType("alarm-raised", "A value was outside its limit.") {
            Field("rule", .ruleID, "TODO rule")
            Field("point", .pointID, "TODO point")
            Field("place", .place, "TODO place")
            Field("device", .deviceID, "TODO device")
            Field("quantity", .quantity, "TODO quantity")
            Field("value", .number, "TODO value")
            Field("limit", .number, "TODO limit")
        }
        EventType(
            "alarm-cleared",
            """
            An alarm was cleared: the value is back inside its limit, or the alarm is no longer evaluated.

            It is not evaluated after its point or rule was moved or disabled. Then `value` is the value that raised
            it.
            """
        ) {
            Field("rule", .ruleID, "TODO rule")
            Field("point", .pointID, "TODO point")
            Field("place", .place, "TODO place")
            Field("device", .deviceID, "TODO device")
            Field("quantity", .quantity, "TODO quantity")
            Field("value", .number, "TODO value")
        }
        EventType(
            "report-heard",
            "A further receiver received a recorded report; the event's time is that receiver's clock."
        ) {
            Field("device", .deviceID, "TODO device")
            Field("report", .instant, "The time of the recorded report.")
            Field("source", .text, "The receiver: `gateway/<name>`.")
            Field("counter", .natural.optional, "The counter of the report, if it has one.")
            Field("rssi", .integer.optional, "Signal strength in dBm.")
            Field("lqi", .integer.optional, "Link quality, 0 to 255 (IEEE 802.15.4).")
            Field("repeats", .integer, "TODO repeats")
            Field("payload", .text, "TODO payload")
        }
        EventType("device-identified", "A device reported its make, whose decoding rules apply to its later frames.") {
            Field("device", .deviceID, "TODO device")
            Field("maker", .text.optional, "TODO maker")
            Field("model", .text.optional, "TODO model")
            Field("source", .text, "TODO source")
        }
        EventType(
            "values-refused",
            "Implausible values of a report; they are in no `Measured`, so no view and no alarm uses them."
        ) {
            Field("device", .deviceID, "TODO device")
            Field("format", .text, "The encoding of the report.")
            Field("values", .list(of: .record(.refusedValue)), "TODO values")
            Field("source", .text, "TODO source")
            Field("payload", .text, "The original bytes in hexadecimal.")
        }
        EventType(
            "advert-kept",
            """
            An advertisement that no decoder understood: its bytes, so that a later build can decode them.

            At most one for each device and hour.
            """
        ) {
            Field("device", .deviceID, "TODO device")
            Field("reason", .text, "`unsupported`, `encrypted` or `truncated`.")
            Field("detail", .text.optional, "The decoder's error, if there is one.")
            Field("decoders", .integer, "The version of the decoders that failed.")
            Field("data", .text, "The whole advertising data in hexadecimal.")
            Field("source", .text, "TODO source")
            Field("rssi", .integer.optional, "Signal strength in dBm.")
        }
        EventType(
            "advert-decoded",
            """
            A stored advertisement was decoded by newer decoders: its reports are in the journal, and it is not
            decoded again.
            """
        ) {
            Field("device", .deviceID, "TODO device")
            Field("heard", .instant, "When the advertisement was received.")
            Field("decoders", .integer, "The version of the decoders that decoded it.")
        }
    }
}

extension RecordType {
    static let refusedValue = RecordType("RefusedValue", isHandWritten: true, "One implausible value and the reason.") {
        Field("quantity", .quantity, "TODO quantity")
        Field("value", .number.optional, "The value; nil if the bytes were no finite number.")
        Field("reason", .text, "The reason: `out-of-range`, `failure-code`, `no-such-channel`.")
    }
}
