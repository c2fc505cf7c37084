import EventSourcing
import Events
import JSON
public import Vocabulary

/// An example of every event, with all its optional fields.
enum Examples {
    static let all: [any Event] =
        sensors + trace + journal + sync
        + InventoryExamples.all + MarketExamples.all + suggestions + pruning + access

    private static let sensors: [any Event] = [
        Measured(
            device: "ble:c50dfa99cb9e", format: "ruuvi5",
            readings: [Reading(.temperature, 21.58), Reading(.humidity, 96.32), Reading(.pressure, 1031.58)],
            source: "capture", counter: 51_391, rssi: -72, lqi: 200, repeats: 1,
            payload: "0510dc9680cfa60424ffc8fff4a936e3c8bfc50dfa99cb9e"),
        RawReported(
            device: "zb:000fff0000415b1a", profile: 0xC25D, cluster: 1, endpoint: 2, counter: 79,
            payload: "184f0a0000200301", source: "capture"),
        ReportHeard(
            device: "ble:c50dfa99cb9e", report: Instant(microseconds: 1_777_792_500_000_000), source: "gateway/barn",
            counter: 51_391, rssi: -80, lqi: 200, repeats: 1,
            payload: "0510dc9680cfa60424ffc8fff4a936e3c8bfc50dfa99cb9e"),
        BeaconHeard(
            beacon: "ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:1:2", device: "ble:001122334455", rssi: -61,
            power: -59, source: "http"),
        Quarantined(
            source: "http", reason: "no such BTHome version (byte 4)", length: 6, bytes: "0616d2fc8000", others: 40),
        PointBound(point: "p1", title: "Kühlhaus, oben", place: .store("cold-1"), device: "ble:c50dfa99cb9e"),
        RuleSet(
            rule: "warm", place: .store("cold-1"), quantity: .temperature, above: 8, below: -0.5, hysteresis: 0.5,
            enabled: true),
        DeviceIdentified(device: "zb:00158d0001dc126a", maker: "LUMI", model: "lumi.weather", source: "tty"),
        ValuesRefused(
            device: "zb:00158d0001dc126a", format: "zcl",
            values: [
                RefusedValue(.temperature, -100, because: "out-of-range"),
                RefusedValue(.temperature2, nil, because: "out-of-range"),
            ], source: "tty", payload: "01020418020a000029f0d8"),
        AdvertKept(
            device: "ble:a4c138000001", reason: "unsupported", detail: "no such Ruuvi format (byte 4)", decoders: 1,
            data: "030388ec0cff88ec00ba0af90f63020101", source: "gateway/barn", rssi: -81),
        AdvertDecoded(
            device: "ble:a4c138000001", heard: Instant(microseconds: 1_784_000_000_000_000), decoders: 2),
        AlarmNotificationRequested(
            rule: "warm", point: "p1", title: "Kühlhaus, oben", place: .store("cold-1"), quantity: .temperature,
            value: 8.25, limit: 8, raised: Instant(microseconds: 1_784_000_000_000_000), step: 1,
            people: ["0191d9a2-7cde-7cc3-98c4-dc0c0c07398f"]),
        AlarmAcknowledged(rule: "warm", point: "p1", comment: "Tür war offen"),
        AlarmShelved(
            rule: "warm", point: "p1", until: Instant(microseconds: 1_784_000_000_000_000), comment: "Tür bleibt offen"),
        OnCallSet(
            steps: [
                OnCallStep(afterMinutes: 0, people: ["0191d9a2-7cde-7cc3-98c4-dc0c0c07398f"]),
                OnCallStep(
                    afterMinutes: 15,
                    people: ["0191d9a2-7cde-7cc3-98c4-dc0c0c07398f", "0191d9a2-7cde-7cc3-98c4-dc0c0c073990"]),
            ], repeatMinutes: 30),
        DeviceCalibrated(
            device: "ble:c50dfa99cb9e#2", quantity: .humidity, factor: 1.01, offset: -0.5,
            validUntil: Instant(microseconds: 1_784_000_000_000_000), certificate: "DAkkS 4711"),
        PointRetired(point: "p1", reason: "Das Regal ist weg"),
        NetworkFormed(source: "znp:/dev/ttyUSB0", channel: 20, panId: "1a62", extendedPanId: "dddddddddddddddd"),
        JoiningPermitted(source: "znp:/dev/ttyUSB0", seconds: 120),
        DeviceJoined(device: "zb:00158d0001e5d1a2", source: "znp:/dev/ttyUSB0", short: 0x6F1C),
        DeviceInterviewed(
            device: "zb:00158d0001e5d1a2", source: "znp:/dev/ttyUSB0", isRouter: false, manufacturer: 0x115F,
            reporting: ["temperature", "CO₂"], unfulfilled: ["battery: refused"]),
        DeviceRemoved(device: "zb:00158d0001e5d1a2"),
        DeviceLeft(device: "zb:00158d0001e5d1a2", source: "znp:/dev/ttyUSB0"),
        BeaconRegionSet(
            region: "shed", title: "Geräteschuppen", beacons: "ibeacon:f7826da6-4fa2-4e98-8024-bc5b71e0893e:1"),
        BeaconRegionRemoved(region: "shed"),
        BeaconRegionEntered(
            region: "shed", reader: "gateway/phone", beacon: "ibeacon:f7826da6-4fa2-4e98-8024-bc5b71e0893e:1:7"),
        BeaconRegionLeft(region: "shed", reader: "gateway/phone"),
        AlarmRaised(
            rule: "warm", point: "p1", place: .store("cold-1"), device: "ble:c50dfa99cb9e", quantity: .temperature,
            value: 8.25, limit: 8),
        AlarmCleared(
            rule: "warm", point: "p1", place: .store("cold-1"), device: "ble:c50dfa99cb9e", quantity: .temperature,
            value: 7.25),
    ]

    private static let details = ActivityDetails(substance: "Kupfer", amount: 1.5, unit: "kg", waitingDays: 14)

    private static let trace: [any Event] = [
        FarmFounded(title: "Hof \"Sonne\" 🌻", zone: "Europe/Vienna", country: "AT"),
        PlotLaidOut(plot: "p1", title: "North field", crop: "Carrot", areaSquareMetres: 1250.5),
        StoreOpened(store: "cold-1", title: "Cold store", cold: true),
        ActivityRecorded(activity: "a1", plot: "p1", kind: .plantProtection, details: details),
        PhotographTaken(
            photograph: "f1", place: .plot("p1"), picture: String(repeating: "a", count: 64),
            preview: String(repeating: "b", count: 64), thumbnail: String(repeating: "c", count: 64), width: 1024,
            height: 768, camera: "feld-1"),
        PhotographChosen(photograph: "f1", place: .plot("p1"), isShown: true),
        PhotographRemoved(photograph: "f1", place: .plot("p1"), reason: "Jemand ist zu sehen"),
        ActivityCorrected(
            activity: "a1", kind: .fertilising, happened: Instant(microseconds: 1_777_792_500_000_000),
            details: ActivityDetails(), reason: "wrong plot\nand product"),
        Harvested(
            lot: "L260503-ABCDE", gtin: gtin, product: "Carrots", plot: "p1", grams: 120_000,
            from: Instant(microseconds: 1_772_000_000_123_456)),
        HarvestCorrected(lot: "L260503-ABCDE", grams: 12_000, reason: "one nought \"too\" many"),
        LotSplit(lot: "L260503-ABCDE", into: "L260503-B", grams: 20_000),
        Packed(lot: "L260503-ABCDE", gramsEach: 500, serials: ["ABCDEFGH23456", "ZZZZZZZ777777"]),
        Stored(lot: "L260503-ABCDE", store: "cold-1"),
        HandedOver(lot: "L260503-ABCDE", to: "Market hall", document: "DN-17"),
        LotRecalled(lot: "L260503-ABCDE", includes: ["L260503-B", "L260503-C"], reason: "glass \"found\" ünten"),
        LotHeld(
            lot: "L260503-ABCDE", includes: ["L260503-B"], activity: "a1",
            until: Instant(microseconds: 1_778_000_000_000_000), reason: "Kupfer \"ünten\" needs 14 days"),
        LotReleased(lot: "L260503-ABCDE", includes: ["L260503-B"], reason: "tested: \"nothing\" was found"),
        LotHoldLifted(lot: "L260503-ABCDE", includes: ["L260503-B"], activity: "a1", reason: "wrong plot"),
        LabelKeyAdded(
            kid: "AB2C",
            publicKey: "BGsX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"),
        LabelKeyRevoked(kid: "AB2C", reason: "lost"),
        LabelsPrinted(lot: "L260503-ABCDE", kid: "AB2C", count: 40),
        PassportIssued(
            lot: "L260503-ABCDE", hubPosition: 18_446_744_073_709_551_615,
            passport: .object([
                ("v", .integer(1)), ("lot", .string("L260503-ABCDE")), ("children", .array([])), ("none", .null),
                ("hours", .array([.array([.integer(493_831), .double(4.5), .double(-0.01), .bool(true)])])),
            ])),
        GoodsLimitsSet(
            goods: "carrots", title: "Karotten, ohne Grün", products: ["Carrots"],
            limits: [
                GoodsLimit(quantity: .temperature, above: 2, below: -0.5), GoodsLimit(quantity: .humidity, below: 85),
            ], source: "USDA Agriculture Handbook 66"),
        StorageLimitsChanged(
            store: "cold-1", title: "Cold store",
            goods: [
                StoredGoods(
                    goods: "carrots", title: "Karotten", limits: [GoodsLimit(quantity: .temperature, above: 2)],
                    lots: ["L260503-ABCDE"], others: 3)
            ],
            conflicts: [
                GoodsConflict(
                    quantity: .temperature, needed: 7, tolerated: 2, needing: ["tomatoes"], tolerating: ["carrots"])
            ]),
    ]

    private static let journal: [any Event] = [
        EpochBegan(
            previous: Epoch(0x0123_4567_89AB_CDEF), keptTo: 41, keptHash: String(repeating: "0a", count: 32),
            why: "restored"),
        FeedConsumed(
            feed: "hub", epoch: Epoch(7), first: 1, last: 512, hash: String(repeating: "ff", count: 32),
            parked: [Parked(position: 17, reason: "farm.furrow.later.fact.v1 is not known to this version of Furrow")]),
        ParkedResolved(feed: "hub", epoch: Epoch(7), position: 17, outcome: "skipped", reason: "not ours"),
        FollowAccepted(
            feed: "sensor-ingest/farm-1", epoch: Epoch(7), keptTo: 41, keptHash: String(repeating: "0a", count: 32),
            left: 17),
        ClockStepped(seconds: -3600.25),
        ClockTrusted(
            wall: Instant(microseconds: 1_777_792_500_000_000), boot: "0e2f7a64-6f2c-4c57-9a3b-5b1d3a8f7c10",
            uptime: 86_400_123_456, trusted: Instant(microseconds: 1_777_706_100_000_000), frozen: 604_799.5),
        SealKeyAnnounced(
            key: "sensor-ingest/farm-0+1b2f3c4d+AZ2Cx0mA0hE6uWcLq3m0a2hXyWmXQkq9b0v6o1pCkq3r"),
        JournalSealed(
            first: 1, last: 4096, hash: String(repeating: "0a", count: 32), root: String(repeating: "5c", count: 32),
            file: String(repeating: "ff", count: 32),
            note: "furrow-segment/1\nsensor-ingest/farm-0\n0000000000000007\n1 4096\n\n"
                + "— sensor-ingest/farm-0 Gy88TQ==\n"),
        WitnessRequested(checkpoint: "furrow/farm\n7\n\n— furrow/farm Gy88TQ==\n"),
        CheckpointWitnessed(
            feed: "hub", epoch: Epoch(7), position: 512, hash: String(repeating: "0a", count: 32),
            checkpoint: "furrow/farm\n7\n\n— furrow/farm Gy88TQ==\n"),
    ]

    private static let sync: [any Event] = [
        StaffEnrolled(person: "0191d9a2-7cde-7cc3-98c4-dc0c0c07398f", role: .grower),
        BuyerEnrolled(person: "0191d9a2-7cde-7cc3-98c4-dc0c0c07398f"),
        PersonErased(person: "0191d9a2-7cde-7cc3-98c4-dc0c0c07398f"),
        SitePresented(
            title: "Good food from the hills", welcome: "See who grows it.", donate: "https://trail.example/donate",
            sponsors: [
                SitePresented.Sponsor(name: "Seed Library", website: "https://seeds.example"),
                SitePresented.Sponsor(name: "Bank of the Hollow"),
            ]),
        MessageSent(message: UUID(bytes: [4, 2]), to: "sandbox"),
        MessageGaveUp(message: UUID(bytes: [4, 3]), to: "sandbox", reason: "409 unknown-order"),
        MessageWithdrawn(message: UUID(bytes: [4, 4]), to: "push", reason: "the alarm was acknowledged"),
        NotificationChannelSet(
            channel: UUID(bytes: [4, 5]), person: "0191d9a2-7cde-7cc3-98c4-dc0c0c07398f", kind: .webhook,
            state: .disabled),
    ]

    private static let access: [any Event] = [
        ServerTroubleRaised(
            check: "disk", said: "1.2 GB of 64 GB are free.", advice: "Free up space.", people: [PersonID("0191d9a2")]),
        ServerTroubleCleared(
            check: "disk", said: "1.2 GB of 64 GB are free.",
            raised: Instant(microseconds: 1_777_792_500_000_000), people: [PersonID("0191d9a2")]),
        AccessChanged(change: .gatewayAdmitted, person: "0191d9a2-7cde-7cc3-98c4-dc0c0c07398f", gateway: "barn"),
        SignInsCounted(person: "0191d9a2-7cde-7cc3-98c4-dc0c0c07398f", done: 2, refused: 31),
    ]

    private static let pruning: [any Event] = [
        JournalPruned(
            first: 4097, last: 8192, positions: [4097, 4099, 8192],
            from: Instant(microseconds: 1_777_792_500_000_000), to: Instant(microseconds: 1_777_792_501_000_000),
            kept: [
                RetainedInterval(
                    place: .plot("north"), from: Instant(microseconds: 1_777_791_600_000_000),
                    to: Instant(microseconds: 1_777_795_200_000_000))
            ],
            note: "furrow-pruned/1\nsensor-ingest/farm-0\n0000000000000007\n4097 8192\n\n"
                + "— sensor-ingest/farm-0 Gy88TQ==\n")
    ]

    private static let suggestions: [any Event] = [
        ModelSolved(
            position: 123_456, products: 513, shoppers: 2429, baskets: 82_262,
            digest: String(repeating: "5c", count: 32)),
        PicksChosen(
            person: "4c1f6d0e-9a57-4a3e-8f0c-2f4be1f6a3d2", day: "2026-05-03", products: ["tomatoes", "honey"],
            position: 123_456),
        ProductsViewed(person: "4c1f6d0e-9a57-4a3e-8f0c-2f4be1f6a3d2", products: ["tomatoes", "honey"]),
        ViewsForgotten(person: "4c1f6d0e-9a57-4a3e-8f0c-2f4be1f6a3d2"),
        FeedbackReceived(feedback: [
            Feedback(
                kind: "purchase", person: "4c1f6d0e-9a57-4a3e-8f0c-2f4be1f6a3d2", product: "tomatoes",
                at: Instant(microseconds: 1_777_791_600_000_000), isView: false)
        ]),
        FeedbackDeleted(person: "4c1f6d0e-9a57-4a3e-8f0c-2f4be1f6a3d2", product: "tomatoes"),
    ]

    /// The same events without optional fields.
    static let bare: [any Event] =
        [
            Measured(device: "ble:c50dfa99cb9e", format: "zcl", readings: [], source: "tty", repeats: 4, payload: ""),
            RawReported(device: "zb:1a2b", profile: 0, cluster: 0, endpoint: 0, payload: "", source: "tty"),
            ReportHeard(
                device: "zb:1a2b", report: Instant(microseconds: 0), source: "tty", repeats: 4, payload: ""),
            BeaconHeard(beacon: "eddystone:https://x.at", device: "ble:001122334455", source: "http"),
            Quarantined(source: "tty", reason: "bytes that belong to no frame (byte 0)", length: 0, bytes: ""),
            DeviceIdentified(device: "zb:00158d0001dc126a", source: "tty"),
            AdvertKept(
                device: "ble:a4c138000001", reason: "truncated", decoders: 1, data: "02", source: "gateway/barn"),
            PointBound(point: "p1", title: "Spare", place: .plot("p1")),
            RuleSet(rule: "r", place: .plot("p1"), quantity: .co2, hysteresis: 0, enabled: false),
            FarmFounded(title: "Farm", zone: "UTC"),
            PlotLaidOut(plot: "p1", title: "Field"),
            ActivityRecorded(activity: "a1", plot: "p1", kind: .sowing, details: ActivityDetails()),
            HandedOver(lot: "L", to: "Shop"),
            SitePresented(sponsors: []),
            EpochBegan(previous: nil, keptTo: 0, keptHash: nil, why: "created"),
            FeedConsumed(feed: "hub", epoch: Epoch(7), first: 1, last: 1, hash: ""),
            FeedConsumed(
                feed: "hub", epoch: Epoch(7), first: 2, last: 9, hash: "",
                parked: [Parked(position: 9, reason: "an earlier one of its stream is not applied", behind: 7)]),
            ParkedResolved(feed: "hub", epoch: Epoch(7), position: 17, outcome: "retried", reason: nil),
        ] + InventoryExamples.bare + MarketExamples.bare

    static var gtin: GTIN {
        guard let gtin = GTIN("09520123456788") else { preconditionFailure("the check digit is right") }
        return gtin
    }

    /// Returns an example's envelope, derived from its name only; about every second one has no optional attributes.
    static func envelope(of event: any Event) -> Envelope {
        let number = type(of: event).name.utf8.reduce(0) { ($0 * 31 + Int($1)) % 97 }
        let isFull = number.isMultiple(of: 2)
        return Envelope(
            id: UUID(bytes: (0..<16).map { UInt8($0 * 10 + number) }).marked(version: 7),
            origin: Origin(service: isFull ? "trace-ledger" : "sensor-ingest", site: "north-farm", slot: number),
            epoch: Epoch(0xFEDC_BA98_7654_3210), position: UInt64(number) + 4_000_000_000,
            name: type(of: event).name, stream: "lot/L260503-ABCDE", version: number + 1,
            time: Instant(microseconds: 1_777_792_500_000_000 + Int64(number)),
            recorded: Instant(microseconds: 1_777_792_501_000_001), farm: isFull ? "farm-1" : nil,
            actor: isFull ? .person("0191d9a2-7cde-7cc3-98c4-dc0c0c07398f") : .node("ble:c50dfa99cb9e"),
            correlation: isFull ? UUID(bytes: [1, 2, 3]) : nil, causation: isFull ? UUID(bytes: [9]) : nil)
    }
}

extension ID: ExpressibleByUnicodeScalarLiteral {}
extension ID: ExpressibleByExtendedGraphemeClusterLiteral {}
extension ID: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) { self.init(text) }
}
