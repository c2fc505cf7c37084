import Events
import Vocabulary
import Wire

/// The whole public API.
enum Routes {
    /// The routes by subject, in the order of the reference.
    static let subjects: [(title: String, routes: [Route])] = [
        ("Farms, plots and activities", land), ("Lots, goods and labels", lots),
        ("Inventories and stocktakes", inventories),
        ("Sensors, limits and alarms", sensors), ("Radio gateways and received data", radio),
        ("ZigBee networks", networks), ("Photographs", photographs), ("Evidence", evidence),
        ("Catalogue and pickup places", catalog), ("Promotions", promotions), ("Carts and orders", sales),
        ("Suggestions", shelves), ("Suggestions for programs written for Gorse", gorse),
        ("People and sessions", people),
        ("Notifications", channels), ("The server", own), ("Synchronisation", sync),
    ]

    static let all = subjects.flatMap(\.routes)

    private static let land: [Route] = [
        .command(
            .post, "/v1/farms", .ledger(.foundFarm), for: .administrator, gives: ["farm": .name]),
        .query("/v1/farms", .land(.farms)),
        .command(
            .post, "/v1/plots", .ledger(.layOutPlot), for: .grower, gives: ["plot": .name]),
        .query("/v1/plots", .land(.plots)),
        .command(
            .post, "/v1/stores", .ledger(.openStore), for: .grower, gives: ["store": .name]),
        .query("/v1/stores", .land(.stores)),
        .command(
            .post, "/v1/plots/{plot}/activities", .ledger(.recordActivity), for: .grower,
            gives: ["activity": .name, "held": .list(.name)]),
        .query("/v1/plots/{plot}/activities", .land(.activities)),
        .command(
            .post, "/v1/activities/{activity}/corrections", .ledger(.correctActivity), for: .grower,
            gives: ["activity": .name, "held": .list(.name)]),
    ]

    private static let lots: [Route] = [
        .command(
            .post, "/v1/lots", .ledger(.harvest), for: .grower,
            gives: ["lot": .name, "gtin": .text, "restricted": .flag, "note?": .text]),
        .command(
            .post, "/v1/lots/{lot}/corrections", .ledger(.correctHarvest), for: .grower, gives: ["lot": .name]),
        .query("/v1/lots", .lots(.lots)),
        .query("/v1/lots/{lot}", .lots(.lot)),
        .command(
            .post, "/v1/lots/{lot}/splits", .ledger(.splitLot), for: .grower, gives: ["lot": .name]),
        .command(
            .post, "/v1/lots/{lot}/packings", .ledger(.packLot), for: .grower, gives: ["serials": .list(.text)]),
        .command(
            .post, "/v1/lots/{lot}/storings", .ledger(.storeLot), for: .grower, gives: ["lot": .name]),
        .command(
            .post, "/v1/lots/{lot}/handovers", .ledger(.handOverLot), for: .grower, gives: ["lot": .name]),
        .command(
            .post, "/v1/lots/{lot}/recalls", .ledger(.recallLot), for: .grower,
            gives: ["lot": .name, "includes": .list(.name)]),
        .command(
            .post, "/v1/lots/{lot}/releases", .ledger(.releaseLot), for: .grower, gives: ["lot": .name]),
        .query("/v1/goods", .land(.goods)),
        .command(
            .put, "/v1/goods/{goods}", .ledger(.setGoods), for: .grower, gives: ["goods": .name], status: 200),
        .query("/v1/holds", .lots(.holds)),
        .command(
            .post, "/v1/lots/{lot}/labels", .ledger(.printLabels), for: .grower, gives: labels),
        labelFile("/v1/lots/{lot}/labels.svg", .svg, "One label as a vector picture."),
        labelFile("/v1/lots/{lot}/labels.png", .png, "One label for a label printer."),
        labelFile("/v1/lots/{lot}/labels.pdf", .pdf, "All labels on sheets of label paper."),
    ]

    private static func labelFile(_ path: PathTemplate, _ format: LabelFormat, _ summary: String) -> Route {
        .own(
            .get, path, .labels(format), for: .atLeast(.grower), summary,
            where: format == .pdf ? [:] : ["serial?": .line], gives: .file(format.type))
    }

    private static let labels: Shape = [
        "lot": .name, "product": .text, "farm": .text, "harvested?": .time, "harvestDay?": .text,
        "labels": .list(
            .object(["serial": .text, "url": .text, "index": .integer, "of": .integer, "grams": .integer])),
    ]

    private static let bucket: Shape = [
        "at": .time, "n": .integer, "min?": .number, "mean?": .number, "max?": .number, "last?": .number,
        "unitHoursAbove?": .number, "unitHoursBelow?": .number, "hour?": .time, "count?": .integer,
    ]
    private static let growth: Shape = [
        "SAF01": .integer, "SAF02?": .number, "SAF03?": .number, "SAF04?": .number, "SAF05?": .text, "SAF06?": .text,
        "SAF07": .time, "activity?": .name, "corrections?": .list(.text),
    ]
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
        .query("/v1/points", .sensors(.points)),
        .command(
            .put, "/v1/points/{point}", .sensors(.bindPoint), for: .grower, gives: ["point": .name],
            status: 200),
        .command(
            .post, "/v1/points/{point}/retirement", .sensors(.retirePoint), for: .grower, gives: ["point": .name],
            status: 200),
        .command(
            .post, "/v1/manual-readings", .sensors(.recordReadings), for: .grower,
            gives: [
                "recorded": .integer, "valid": .integer,
                "errors": .list(.object(["row": .integer, "detail": .text])),
            ], status: 200),
        .query("/v1/calibrations", .sensors(.calibrations)),
        .command(
            .post, "/v1/calibrations", .sensors(.calibrateDevice), for: .grower, gives: ["device": .text], status: 200),
        .query("/v1/devices", .sensors(.devices)),
        .query("/v1/unread-devices", .sensors(.unreadDevices)),
        .query("/v1/reporting", .sensors(.reporting)),
        .query("/v1/beacon-regions", .sensors(.beaconRegions)),
        .command(
            .put, "/v1/beacon-regions/{region}", .sensors(.setBeaconRegion), for: .grower, gives: ["region": .name],
            status: 200),
        .command(
            .post, "/v1/beacon-regions/{region}/removal", .sensors(.removeBeaconRegion), for: .grower,
            gives: ["region": .name], status: 200),
        .query("/v1/rules", .sensors(.rules)),
        .command(
            .put, "/v1/rules/{rule}", .sensors(.setRule), for: .grower, gives: ["rule": .name], status: 200),
        .query("/v1/alarms", .sensors(.alarms)),
        .query("/v1/alarms/history", .sensors(.alarmHistory)),
        .command(
            .post, "/v1/alarms/{rule}/{point}/acknowledgements", .sensors(.acknowledgeAlarm), for: .grower,
            gives: ["rule": .name, "point": .name], status: 200),
        .command(
            .put, "/v1/alarms/{rule}/{point}/shelving", .sensors(.shelveAlarm), for: .grower,
            gives: ["rule": .name, "point": .name, "until": .time], status: 200),
        .query("/v1/on-call", .sensors(.onCall)),
        .command(
            .put, "/v1/on-call", .sensors(.setOnCall), for: .administrator, gives: ["steps": .integer], status: 200),
    ]

    static let reported = APISchema.words(Quantity.reported.map(\.rawValue))
    static let limits = APISchema.between(-1e9...1e9)
}
