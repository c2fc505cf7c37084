import Events
import Vocabulary

/// The whole public API.
enum Routes {
    static let all = land + lots + sensors + evidence + catalog + sales + shelves + people + own + sync

    private static let land: [Route] = [
        .command(
            .post, "/v1/farms", .ledger, "found-farm", for: .administrator, "Founds a farm.",
            takes: ["farm": .name, "title": .line, "zone": .form(.line(64)), "country?": .form(.line(2))],
            gives: ["farm": .name]),
        .query(
            "/v1/farms", .ledger, "farms", "The farms of this server.",
            gives: .page(of: ["farm": .name, "title": .text, "zone": .text, "country?": .text])),
        .command(
            .post, "/v1/plots", .ledger, "lay-out-plot", for: .grower, "Lays out a plot of a farm.",
            takes: [
                "farm": .name, "plot": .name, "title": .line, "crop?": .line, "areaSquareMetres?": .between(0...1e9),
            ],
            gives: ["plot": .name]),
        .query(
            "/v1/plots", .ledger, "plots", "The plots, each with its latest readings.",
            gives: .page(of: [
                "plot": .name, "farm": .name, "title": .text, "crop?": .text, "areaSquareMetres?": .number,
                "latest": .anything, "waiting?": .flag,
            ])),
        .command(
            .post, "/v1/stores", .ledger, "open-store", for: .grower, "Opens a store of a farm.",
            takes: ["farm": .name, "store": .name, "title": .line, "cold?": .flag], gives: ["store": .name]),
        .query(
            "/v1/stores", .ledger, "stores", "The stores, each with its latest readings.",
            gives: .page(of: [
                "store": .name, "farm": .name, "title": .text, "cold": .flag, "latest": .anything, "waiting?": .flag,
            ])),
        .command(
            .post, "/v1/plots/{plot}/activities", .ledger, "record-activity", for: .grower,
            "Records what was done on a plot. `person` is who did: if that is not the caller, nothing is done (401).",
            takes: activity, gives: ["activity": .name, "held": .list(.name)]),
        .query(
            "/v1/plots/{plot}/activities", .ledger, "activities",
            "What was done on a plot, newest first, with every correction.",
            gives: .page(of: [
                "activity": .name, "kind": .text, "happened": .time, "recorded": .time, "details": .anything,
                "corrections": .list(.anything),
            ])),
        .command(
            .post, "/v1/activities/{activity}/corrections", .ledger, "correct-activity", for: .grower,
            "Corrects what was recorded; the record stays.",
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
            .post, "/v1/lots", .ledger, "harvest", for: .grower,
            "Records a harvest: a new lot. `person` is who did: if that is not the caller, nothing is done (401).",
            takes: [
                "lot?": .form(.lot), "gtin?": .form(.gtin), "product": .line, "plot": .name, "grams": grams,
                "happened?": .time, "person?": .line,
            ], gives: ["lot": .name, "gtin": .text, "restricted": .flag, "note?": .text]),
        .command(
            .post, "/v1/lots/{lot}/corrections", .ledger, "correct-harvest", for: .grower,
            "Corrects what a harvested lot weighed; the first record stays.",
            takes: ["grams": grams, "reason": .line], gives: ["lot": .name]),
        .query(
            "/v1/lots", .ledger, "lots",
            "The lots, the newest harvest first, handed over ones last; with a box's serial number as `q` its lot alone.",
            where: [
                "q?": .line, "plot?": .name, "from?": .time, "to?": .time, "limit?": .whole(1...200), "after?": .line,
            ],
            gives: .page(of: lot)),
        .query("/v1/lots/{lot}", .ledger, "lot", "One lot with its boxes and its way.", gives: .object(lot)),
        .command(
            .post, "/v1/lots/{lot}/splits", .ledger, "split-lot", for: .grower,
            "Splits a part off as a lot of its own.",
            takes: ["into?": .form(.lot), "grams": grams], gives: ["lot": .name]),
        .command(
            .post, "/v1/lots/{lot}/packings", .ledger, "pack-lot", for: .grower, "Packs boxes.",
            takes: ["boxes": .whole(1...1000), "gramsEach": grams], gives: ["serials": .list(.text)]),
        .command(
            .post, "/v1/lots/{lot}/storings", .ledger, "store-lot", for: .grower, "Brings a lot into a store.",
            takes: ["store": .name, "happened?": .time], gives: ["lot": .name]),
        .command(
            .post, "/v1/lots/{lot}/handovers", .ledger, "hand-over-lot", for: .grower, "Hands a lot over to somebody.",
            takes: ["to": .line, "document?": .line, "happened?": .time], gives: ["lot": .name]),
        .command(
            .post, "/v1/lots/{lot}/recalls", .ledger, "recall-lot", for: .grower,
            "Recalls a lot and all that was split off it: it can't be sold any more.",
            takes: ["reason": .lines(500)], gives: ["lot": .name, "includes": .list(.name)]),
        .command(
            .post, "/v1/lots/{lot}/releases", .ledger, "release-lot", for: .grower,
            "Releases a held lot and all that was split off it; its events name the person.",
            takes: ["reason": .lines(500)], gives: ["lot": .name]),
        .query(
            "/v1/holds", .ledger, "holds", "The harvested lots that are held until a person releases them.",
            where: ["after?": .line],
            gives: .page(of: [
                "lot": .name, "product": .text, "plot": .name, "farm": .name, "harvested?": .time, "since?": .time,
                "reason": .text, "handedTo?": .text,
            ])),
        .command(
            .post, "/v1/lots/{lot}/labels", .ledger, "print-labels", for: .grower,
            "Signs the labels of a lot's boxes.", takes: [:], gives: labels),
        labelFile("/v1/lots/{lot}/labels.svg", .svg, "One label to look at."),
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

    private static let labels: Shape = [
        "lot": .name, "product": .text, "farm": .text, "harvested?": .time, "harvestDay?": .text,
        "labels": .list(
            .object(["serial": .text, "url": .text, "index": .integer, "of": .integer, "grams": .integer])),
    ]

    private static let sensors: [Route] = [
        .query(
            "/v1/readings", .ledger, "readings", "Hourly values of one quantity at one place.",
            where: [
                "place": .form(.place), "quantity": quantities, "from?": .time, "to?": .time,
            ],
            gives: .page(of: [
                "hour": .time, "min": .number, "mean": .number, "max": .number, "count": .integer,
            ])),
        .query(
            "/v1/points", .primary, "points", "The measuring points.", where: ["after?": .line],
            gives: .page(of: ["point": .name, "title": .text, "place": .text, "device?": .text])),
        .command(
            .put, "/v1/points/{point}", .primary, "bind-point", for: .grower,
            "Names a measuring point and says which device measures there.",
            takes: ["title": .line, "place": .form(.place), "device?": .form(.device)], gives: ["point": .name],
            status: 200),
        .query(
            "/v1/devices", .primary, "devices", "The devices that were heard.", where: ["after?": .line],
            gives: .page(of: [
                "device": .text, "format": .text, "last?": .time, "readings": .list(.anything), "rssi?": .integer,
                "point?": .name, "maker?": .text, "model?": .text,
                "refused?": .object([
                    "quantity": .text, "value?": .number, "unit": .text, "reason": .text, "at": .time,
                ]),
            ])),
        .query(
            "/v1/unread-devices", .primary, "unread-devices",
            "Devices whose adverts are received and not understood, with why and the newest advert.",
            where: ["after?": .line],
            gives: .page(of: [
                "device": .text, "reason": .words(["unsupported", "encrypted", "truncated"]), "detail?": .text,
                "last": .time, "source": .text, "rssi?": .integer, "data": .text,
            ])),
        .query(
            "/v1/reporting", .primary, "reporting",
            "Whether all bound sensors report; which are silent, and which radios do not work.",
            gives: .object([
                "at": .time, "sensors": .integer, "silentSensors": .integer, "withinMinutes?": .integer,
                "silent": .list(
                    .object(["point": .name, "title": .text, "place": .text, "device?": .text, "since?": .time])),
                "limits": .integer,
                "radios": .list(.object(["source": .text, "trouble": .text])),
            ])),
        .query(
            "/v1/rules", .primary, "rules", "The limits that raise alarms.", where: ["after?": .line],
            gives: .page(of: rule)),
        .command(
            .put, "/v1/rules/{rule}", .primary, "set-rule", for: .grower, "Sets a limit.",
            takes: [
                "place": .form(.place), "quantity": quantities, "above?": limits, "below?": limits,
                "hysteresis?": amounts, "enabled?": .flag,
            ], gives: ["rule": .name], status: 200),
        .query(
            "/v1/alarms", .primary, "alarms", "The alarms, those that are on included.", where: ["after?": .line],
            gives: .page(of: [
                "rule": .name, "point": .name, "place": .text, "quantity": .text, "value": .number, "limit": .number,
                "raised": .time, "cleared?": .time,
            ])),
        .own(
            .post, "/v1/adverts", .sendAdverts, for: .atLeast(.grower),
            "Takes raw Bluetooth advertisements of a gateway, with its own token or a grower's; a repeated batch is taken once.",
            takes: .json(adverts), gives: .json(200, .object(accepted))),
        .own(
            .post, "/v1/captures", .sendCapture, for: .atLeast(.grower),
            "Takes a capture file, btsnoop or pcap.", takes: .octets, gives: .json(200, .object(accepted))),
    ]

    /// Manufacturers of gateways add members of their own.
    private static let adverts = (["adverts": .list(.object(advert)), "source?": .line] as Shape).open
    private static let advert =
        ([
            "address": .form(.address), "hex": .form(.advert), "rssi?": .whole(-200...200), "at?": .time,
        ] as Shape).open

    private static let quantities = APISchema.words(Quantity.allCases.map(\.rawValue))
    private static let limits = APISchema.between(-1e9...1e9)

    private static let rule: Shape = [
        "rule": .name, "place": .text, "quantity": .text, "above?": .number, "below?": .number,
        "hysteresis": .number, "enabled": .flag,
    ]

    private static let accepted: Shape = [
        "accepted": .list(.object(["id": .text, "device": .text])), "measurements": .integer, "raw": .integer,
        "beacons": .integer, "known": .integer, "unreadable": .integer, "refused": .integer, "unsupported": .integer,
        "encrypted": .integer, "truncated": .integer,
    ]
}
