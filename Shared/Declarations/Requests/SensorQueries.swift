extension QueryFamily {
    public static let sensors = QueryFamily(
        "SensorQueryName", of: "sensor-ingest", "The names of sensor-ingest's queries.",
        [
            QueryType("devices", "The devices whose reports were received.", gives: .page(of: .deviceResponse)) {
                Member.after
            },
            QueryType("points", "The measuring points.", gives: .page(of: .pointResponse)) { Member.after },
            QueryType("rules", "The limits that raise alarms.", gives: .page(of: .ruleResponse)) { Member.after },
            QueryType(
                "beacon-regions",
                """
                Sets of beacons that are watched together, and the readers that receive one of each now.
                `/v1/live?topics=beacons` sends `region-entered` and `region-left`.
                """, gives: .page(of: .beaconRegionResponse)
            ) { Member.after },
            QueryType(
                "calibrations", "The newest calibration of each device and quantity.",
                gives: .page(of: .calibrationResponse)
            ) { Member.after },
            QueryType(
                "alarms", "The last alarm of each limit and point, including those that are on.",
                gives: .page(of: .alarmResponse)
            ) { Member.after },
            QueryType(
                "alarm-history", "All alarms of a measuring point, the oldest first.", gives: .page(of: .alarmResponse)
            ) {
                Member("point", .name("PointID"), "The measuring point.")
                Member.after
            },
            QueryType(
                "on-call", "Who is notified of alarms, step by step, and who is on call in which week.",
                gives: .record(.onCallResponse)),
            QueryType(
                "unread-devices", "Devices whose adverts cannot be decoded, with the reason and the newest advert.",
                gives: .page(of: .unreadDeviceResponse)
            ) { Member.after },
            QueryType(
                "reporting",
                """
                Whether all assigned sensors report, which are silent, which radios do not work, and the MQTT brokers.
                """, gives: .record(.reportingResponse)),
            QueryType(
                "zigbee-devices",
                "The devices that joined a ZigBee network of the farm, and what they were set up to report.",
                gives: .page(of: .zigbeeDeviceResponse)
            ) { Member.after },
            QueryType(
                "coordinators",
                "The ZigBee coordinators of this server, their networks, and for how long devices may join.",
                gives: .page(of: .coordinatorResponse)),
            QueryType(
                "coordinator-backup",
                """
                The last backup in the Open Coordinator Backup Format. It contains the network key: a person who has it
                can listen to the network and join it.
                """, gives: .record(.coordinatorBackup)
            ) {
                Member("source", .line, "The coordinator: `znp:<path>`.")
            },
        ])
}
