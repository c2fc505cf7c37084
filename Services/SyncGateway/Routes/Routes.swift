import Events
import Vocabulary
import Wire

/// The whole public API.
enum Routes {
    static let all =
        land + lots + inventories + sensors + radio + networks + photographs + evidence + catalog + promotions + sales
        + shelves + gorse
        + people
        + channels + own + sync

    private static let land: [Route] = [
        .command(
            .post, "/v1/farms", .ledger(.foundFarm), for: .administrator, "Creates a farm.",
            takes: ["farm": .name, "title": .line, "zone": .form(.line(64)), "country?": .form(.line(2))],
            gives: ["farm": .name]),
        .query(
            "/v1/farms", .ledger(.farms), "The farms of this server.",
            gives: .page(of: ["farm": .name, "title": .text, "zone": .text, "country?": .text])),
        .command(
            .post, "/v1/plots", .ledger(.layOutPlot), for: .grower, "Creates a plot of a farm.",
            takes: [
                "farm": .name, "plot": .name, "title": .line, "crop?": .line, "areaSquareMetres?": .between(0...1e9),
            ],
            gives: ["plot": .name]),
        .query(
            "/v1/plots", .ledger(.plots), "The plots, each with its latest readings.",
            gives: .page(of: [
                "plot": .name, "farm": .name, "title": .text, "crop?": .text, "areaSquareMetres?": .number,
                "latest": .anything, "waiting?": .flag,
            ])),
        .command(
            .post, "/v1/stores", .ledger(.openStore), for: .grower, "Creates a store of a farm.",
            takes: ["farm": .name, "store": .name, "title": .line, "cold?": .flag], gives: ["store": .name]),
        .query(
            "/v1/stores", .ledger(.stores), "The stores, each with its latest readings.",
            gives: .page(of: [
                "store": .name, "farm": .name, "title": .text, "cold": .flag, "latest": .anything, "waiting?": .flag,
            ])),
        .command(
            .post, "/v1/plots/{plot}/activities", .ledger(.recordActivity), for: .grower,
            "Records an activity on a plot. A `person` other than the caller is refused (401).",
            takes: activity, gives: ["activity": .name, "held": .list(.name)]),
        .query(
            "/v1/plots/{plot}/activities", .ledger(.activities),
            "The activities on a plot, the newest first, with their corrections.",
            gives: .page(of: [
                "activity": .name, "kind": .text, "happened": .time, "recorded": .time, "details": .anything,
                "corrections": .list(.anything),
            ])),
        .command(
            .post, "/v1/activities/{activity}/corrections", .ledger(.correctActivity), for: .grower,
            "Corrects an activity; the original record stays.",
            takes: [
                "kind?": kinds, "happened?": .time, "substance?": .line, "amount?": amounts, "unit?": .form(.line(20)),
                "waitingDays?": .whole(0...1000), "reason": .lines(500),
            ], gives: ["activity": .name, "held": .list(.name)]),
    ]

    private static let activity: Shape = [
        "kind": kinds, "happened?": .time, "substance?": .line, "amount?": amounts, "unit?": .form(.line(20)),
        "waitingDays?": .whole(0...1000), "person?": .line,
    ]
    private static let kinds = APISchema.words(ActivityKind.allCases.map(\.rawValue))
    private static let amounts = APISchema.between(0...1e9)
    private static let grams = APISchema.whole(1...1_000_000_000)

    private static let lots: [Route] = [
        .command(
            .post, "/v1/lots", .ledger(.harvest), for: .grower,
            "Records a harvest, which creates a lot. A `person` other than the caller is refused (401).",
            takes: [
                "lot?": .form(.lot), "gtin?": .form(.gtin), "product": .line, "plot": .name, "grams": grams,
                "happened?": .time, "person?": .line,
            ], gives: ["lot": .name, "gtin": .text, "restricted": .flag, "note?": .text]),
        .command(
            .post, "/v1/lots/{lot}/corrections", .ledger(.correctHarvest), for: .grower,
            "Corrects the mass of a harvested lot; the original record stays.",
            takes: ["grams": grams, "reason": .line], gives: ["lot": .name]),
        .query(
            "/v1/lots", .ledger(.lots),
            "The lots, the newest harvest first, those handed over last; a box's serial number as `q` finds its lot.",
            where: [
                "q?": .line, "plot?": .name, "from?": .time, "to?": .time, "limit?": .whole(1...200), "after?": .line,
            ],
            gives: .page(of: lot)),
        .query("/v1/lots/{lot}", .ledger(.lot), "One lot with its boxes and where it has been.", gives: .object(lot)),
        .command(
            .post, "/v1/lots/{lot}/splits", .ledger(.splitLot), for: .grower,
            "Splits off a part as a separate lot.",
            takes: ["into?": .form(.lot), "grams": grams], gives: ["lot": .name]),
        .command(
            .post, "/v1/lots/{lot}/packings", .ledger(.packLot), for: .grower, "Packs a lot in boxes.",
            takes: ["boxes": .whole(1...1000), "gramsEach": grams], gives: ["serials": .list(.text)]),
        .command(
            .post, "/v1/lots/{lot}/storings", .ledger(.storeLot), for: .grower,
            "Records that a lot was put into a store.",
            takes: ["store": .name, "happened?": .time], gives: ["lot": .name]),
        .command(
            .post, "/v1/lots/{lot}/handovers", .ledger(.handOverLot), for: .grower,
            "Records that a lot left the farm.",
            takes: ["to": .line, "document?": .line, "happened?": .time], gives: ["lot": .name]),
        .command(
            .post, "/v1/lots/{lot}/recalls", .ledger(.recallLot), for: .grower,
            "Recalls a lot and all lots split off it: they can no longer be sold.",
            takes: ["reason": .lines(500)], gives: ["lot": .name, "includes": .list(.name)]),
        .command(
            .post, "/v1/lots/{lot}/releases", .ledger(.releaseLot), for: .grower,
            "Releases a lot on hold and all lots split off it; the event names the person.",
            takes: ["reason": .lines(500)], gives: ["lot": .name]),
        .query(
            "/v1/goods", .ledger(.goods),
            "The kinds of goods with their limits for storage, and kinds that handbooks recommend limits for.",
            gives: .object([
                "items": .list(.object(goods)),
                "recommended": .list(
                    .object([
                        "goods": .name, "title": .text, "limits": .list(goodsLimit), "source": .text,
                        "temperature": range, "humidity": range,
                    ])),
            ])),
        .command(
            .put, "/v1/goods/{goods}", .ledger(.setGoods), for: .grower,
            "Sets the limits for storing a kind of goods; they apply to each store that contains such goods.",
            takes: [
                "title": .form(.line(80)), "products": .few(.line, 0...50), "limits": .few(goodsLimit, 0...2),
                "source?": .lines(300), "stage?": .words(LotStage.allCases.map(\.rawValue)),
            ], gives: ["goods": .name], status: 200),
        .query(
            "/v1/holds", .ledger(.holds), "The lots on hold until a person releases them.",
            where: ["after?": .line],
            gives: .page(of: [
                "lot": .name, "product": .text, "plot": .name, "farm": .name, "harvested?": .time, "since?": .time,
                "reason": .text, "handedTo?": .text,
            ])),
        .command(
            .post, "/v1/lots/{lot}/labels", .ledger(.printLabels), for: .grower,
            "Signs the labels of a lot's boxes.", takes: [:], gives: labels),
        labelFile("/v1/lots/{lot}/labels.svg", .svg, "One label as a vector picture."),
        labelFile("/v1/lots/{lot}/labels.png", .png, "One label for a label printer."),
        labelFile("/v1/lots/{lot}/labels.pdf", .pdf, "All labels on sheets of label paper."),
    ]

    private static func labelFile(_ path: PathTemplate, _ format: LabelFormat, _ summary: String) -> Route {
        .own(
            .get, path, .labels(format), for: .atLeast(.grower), summary,
            where: format == .pdf ? [:] : ["serial?": .line], gives: .file(format.type))
    }

    private static let lot: Shape = [
        "lot": .name, "gtin": .text, "product": .text, "plot": .name, "farm": .name, "grams": .integer,
        "left": .integer, "splitOff": .integer, "packed": .integer, "handedOver": .integer, "printed": .flag,
        "harvested?": .time, "parent?": .name, "boxes": .integer, "place?": .text, "alarm": .flag,
        "recalled?": .text, "safety": .words(["clear", "held", "released", "recalled"]), "held?": .text,
        "released?": .text, "waiting?": .flag,
    ]

    private static let goodsLimit = APISchema.object([
        "quantity": .words(["temperature", "humidity"]), "above?": limits, "below?": limits,
    ])
    private static let goods: Shape = [
        "goods": .name, "title": .text, "products": .list(.text), "limits": .list(goodsLimit), "source?": .text,
        "stage?": .text,
    ]
    private static let range = APISchema.object(["from": .number, "to": .number])

    private static let labels: Shape = [
        "lot": .name, "product": .text, "farm": .text, "harvested?": .time, "harvestDay?": .text,
        "labels": .list(
            .object(["serial": .text, "url": .text, "index": .integer, "of": .integer, "grams": .integer])),
    ]

    private static let alarm: Shape = [
        "rule": .name, "point": .name, "place": .text, "device": .text, "quantity": .text, "value": .number,
        "limit": .number, "overMinutes?": .integer, "goods?": .text, "lots?": .list(.name), "raised": .time,
        "cleared?": .time,
        "notified?": .time,
        "step?": .integer, "acknowledged?": .time, "acknowledgedBy?": .text, "comment?": .text,
        "shelved?": .object(["until": .time, "by": .text, "comment?": .text]),
    ]
    private static let bucket: Shape = [
        "at": .time, "n": .integer, "min?": .number, "mean?": .number, "max?": .number, "last?": .number,
        "unitHoursAbove?": .number, "unitHoursBelow?": .number, "hour?": .time, "count?": .integer,
    ]
    private static let growth: Shape = [
        "SAF01": .integer, "SAF02?": .number, "SAF03?": .number, "SAF04?": .number, "SAF05?": .text, "SAF06?": .text,
        "SAF07": .time, "activity?": .name, "corrections?": .list(.text),
    ]
    private static let onCallStep = APISchema.object([
        "afterMinutes": .whole(0...10_080), "people": .few(.name, 0...32), "onCall?": .flag,
    ])
    private static let onCallWeeks: Shape = [
        "begins": .time, "zone": .line, "people": .few(.name, 1...32),
        "swaps?": .few(.object(["week": .time, "person": .name]), 0...52),
    ]

    private static let quietHours: Shape = ["from": .form(.clock), "to": .form(.clock), "zone": .line]

    private static let sensors: [Route] = [
        .table(
            "/v1/readings", .ledger(.readings),
            "One quantity of a place, a measuring point or a device in buckets, with limits and times beyond them.",
            where: [
                "place?": .form(.place), "point?": .name, "device?": .form(.device), "quantity": reported,
                "from?": .time, "to?": .time, "resolution?": .words(["1m", "5m", "15m", "1h", "1d"]), "after?": .time,
            ],
            gives: .object([
                "quantity": .text, "unit": .text, "resolution": .text, "zone": .text, "above?": .number,
                "below?": .number, "items": .list(.object(bucket)), "next?": .time,
            ])),
        .table(
            "/v1/growth", .ledger(.growth),
            "Growth environmental information of a plot, or of a lot while it grew: climate, fertiliser and pesticide.",
            where: [
                "plot?": .name, "lot?": .form(.lot), "from?": .time, "to?": .time,
                "resolution?": .words(["1h", "1d"]), "after?": .line,
            ],
            gives: .object([
                "plot": .name, "zone": .text, "resolution": .text, "items": .list(.object(growth)), "next?": .text,
            ])),
        .query(
            "/v1/points", .sensors(.points), "The measuring points.", where: ["after?": .line],
            gives: .page(of: ["point": .name, "title": .text, "place": .text, "device?": .text])),
        .command(
            .put, "/v1/points/{point}", .sensors(.bindPoint), for: .grower,
            "Names a measuring point, and assigns the device that measures there.",
            takes: ["title": .line, "place": .form(.place), "device?": .form(.device)], gives: ["point": .name],
            status: 200),
        .command(
            .post, "/v1/points/{point}/retirement", .sensors(.retirePoint), for: .grower,
            "Ends the use of a measuring point: it is no longer listed or watched. Its history stays.",
            takes: ["reason?": .line], gives: ["point": .name], status: 200),
        .command(
            .post, "/v1/manual-readings", .sensors(.recordReadings), for: .grower,
            "Records values that people read themselves: all rows, or none if one has an error; rows count from 0.",
            takes: [
                "rows": .few(.object(handRow), 1...500), "check?": .flag,
            ],
            gives: [
                "recorded": .integer, "valid": .integer,
                "errors": .list(.object(["row": .integer, "detail": .text])),
            ], status: 200),
        .query(
            "/v1/calibrations", .sensors(.calibrations), "The newest calibration of each device and quantity.",
            where: ["after?": .line],
            gives: .page(of: [
                "device": .text, "quantity": .text, "factor": .number, "offset": .number, "since": .time,
                "validUntil?": .time, "certificate?": .text,
            ])),
        .command(
            .post, "/v1/calibrations", .sensors(.calibrateDevice), for: .grower,
            "Corrects a device's values of one quantity from now on: value × factor + offset.",
            takes: [
                "device": .form(.device), "quantity": quantities, "factor?": APISchema.between(0.01...100),
                "offset?": APISchema.between(-1e6...1e6), "validUntil?": .time, "certificate?": .line,
            ], gives: ["device": .text], status: 200),
        .query(
            "/v1/devices", .sensors(.devices), "The devices whose reports were received.", where: ["after?": .line],
            gives: .page(of: [
                "device": .text, "format": .text, "last?": .time, "reports": .integer, "copies": .integer,
                "readings": .list(.anything), "rssi?": .integer, "lqi?": .integer, "battery?": .number, "source": .text,
                "point?": .name, "maker?": .text, "model?": .text,
                "refused?": .object([
                    "quantity": .text, "value?": .number, "unit": .text, "reason": .text, "at": .time,
                ]),
            ])),
        .query(
            "/v1/unread-devices", .sensors(.unreadDevices),
            "Devices whose adverts cannot be decoded, with the reason and the newest advert.",
            where: ["after?": .line],
            gives: .page(of: [
                "device": .text, "reason": .words(["unsupported", "encrypted", "truncated"]), "detail?": .text,
                "last": .time, "source": .text, "rssi?": .integer, "data": .text,
            ])),
        .query(
            "/v1/reporting", .sensors(.reporting),
            "Whether all assigned sensors report, which are silent, which radios do not work, and the MQTT brokers.",
            gives: .object([
                "at": .time, "sensors": .integer, "silentSensors": .integer, "withinMinutes?": .integer,
                "silent": .list(
                    .object(["point": .name, "title": .text, "place": .text, "device?": .text, "since?": .time])),
                "limits": .integer,
                "radios": .list(.object(["source": .text, "trouble": .text])),
                "brokers": .list(
                    .object([
                        "source": .text, "connected?": .time, "lastMessage?": .time, "messages": .integer,
                        "refused": .integer, "offlineDevices": .integer,
                    ])),
            ])),
        .query(
            "/v1/beacon-regions", .sensors(.beaconRegions),
            "Sets of beacons that are watched together, and the readers that receive one of each now. "
                + "`/v1/live?topics=beacons` sends `region-entered` and `region-left`.",
            where: ["after?": .line],
            gives: .page(of: [
                "region": .name, "title": .text, "beacons": .text,
                "readers": .list(.object(["reader": .text, "beacon": .text, "since": .time])),
            ])),
        .command(
            .put, "/v1/beacon-regions/{region}", .sensors(.setBeaconRegion), for: .grower,
            "Watches beacons: `ibeacon:UUID[:major[:minor]]` or `eddystone:namespace[:instance]`. A reader enters with "
                + "the first one that it receives, and has left after 30 s without one.",
            takes: ["title": .line, "beacons": .line], gives: ["region": .name], status: 200),
        .command(
            .post, "/v1/beacon-regions/{region}/removal", .sensors(.removeBeaconRegion), for: .grower,
            "Ends the watching of a region of beacons.", takes: [:], gives: ["region": .name], status: 200),
        .query(
            "/v1/rules", .sensors(.rules), "The limits that raise alarms.", where: ["after?": .line],
            gives: .page(of: rule)),
        .command(
            .put, "/v1/rules/{rule}", .sensors(.setRule), for: .grower,
            "Sets a limit of a place, or of one measuring point.",
            takes: [
                "place?": .form(.place), "point?": .name, "quantity": quantities, "above?": limits, "below?": limits,
                "hysteresis?": amounts, "enabled?": .flag, "forSeconds?": .whole(0...86_400),
                "urgent?": .flag, "overMinutes?": .whole(1...1440),
                "reports?": .object(["beyond": .whole(1...20), "of": .whole(1...20)]),
            ], gives: ["rule": .name], status: 200),
        .query(
            "/v1/alarms", .sensors(.alarms), "The last alarm of each limit and point, including those that are on.",
            where: ["after?": .line],
            gives: .page(of: alarm)),
        .query(
            "/v1/alarms/history", .sensors(.alarmHistory), "All alarms of a measuring point, the oldest first.",
            where: ["point": .name, "after?": .line], gives: .page(of: alarm)),
        .command(
            .post, "/v1/alarms/{rule}/{point}/acknowledgements", .sensors(.acknowledgeAlarm), for: .grower,
            "Acknowledges an alarm: the caller takes charge of it, and no further people are notified.",
            takes: ["comment?": .lines(500), "raised?": .time], gives: ["rule": .name, "point": .name], status: 200),
        .command(
            .put, "/v1/alarms/{rule}/{point}/shelving", .sensors(.shelveAlarm), for: .grower,
            "Mutes an alarm: for so many minutes no notifications of it are sent, even if it is raised again. 0 ends that.",
            takes: ["minutes": .whole(0...10_080), "comment?": .lines(500)],
            gives: ["rule": .name, "point": .name, "until": .time], status: 200),
        .query(
            "/v1/on-call", .sensors(.onCall),
            "Who is notified of alarms, step by step, and who is on call in which week.",
            gives: .object([
                "steps": .list(onCallStep), "repeatMinutes?": .integer, "quiet?": .object(quietHours),
                "weeks?": .object(onCallWeeks),
                "upcoming?": .list(
                    .object(["begins": .time, "ends": .time, "person": .name, "isSwapped": .flag])),
            ])),
        .command(
            .put, "/v1/on-call", .sensors(.setOnCall), for: .administrator,
            "Sets who is notified of alarms: the first step at once, the others until it is acknowledged.",
            takes: [
                "steps": .few(onCallStep, 0...8), "repeatMinutes?": .whole(1...10_080),
                "quiet?": .object(quietHours), "weeks?": .object(onCallWeeks),
            ],
            gives: ["steps": .integer], status: 200),
    ]

    static let reported = APISchema.words(Quantity.reported.map(\.rawValue))
    private static let quantities = APISchema.words(Quantity.allCases.map(\.rawValue))
    static let limits = APISchema.between(-1e9...1e9)

    private static let rule: Shape = [
        "rule": .name, "place": .text, "quantity": .text, "above?": .number, "below?": .number,
        "hysteresis": .number, "enabled": .flag, "forSeconds?": .integer, "urgent?": .flag, "goods?": .text,
        "point?": .name, "overMinutes?": .integer, "reports?": .object(["beyond": .integer, "of": .integer]),
    ]

    private static let handRow: Shape = [
        "point": .name, "at?": .time,
        "readings": .few(.object(["quantity": quantities, "value": limits]), 1...64),
    ]
}
