import Events
import Wire

/// The routes of inventories and stocktakes.
extension Routes {
    static let inventories: [Route] = [
        .query(
            "/v1/inventories", .ledger(.inventories), "The inventories: lists of items that are counted together.",
            where: ["after?": .line],
            gives: .page(of: [
                "inventory": .name, "title": .text, "place?": .text, "items": .integer, "stocktake?": .name,
                "plan?": .text, "boxes?": .flag,
            ])),
        .command(
            .put, "/v1/inventories/{inventory}", .ledger(.setInventory), for: .grower, gives: ["inventory": .name],
            status: 200),
        .query(
            "/v1/farm-maps", .ledger(.farmMaps), "The maps of the farms: pictures with their plots and stores.",
            where: ["after?": .line],
            gives: .page(of: ["farm": .name, "plan": .text, "pins": .list(mapPin)])),
        .command(
            .put, "/v1/farms/{farm}/map", .ledger(.setFarmMap), for: .grower, gives: ["farm": .name], status: 200),
        .query(
            "/v1/inventories/{inventory}/items", .ledger(.items), "The items of an inventory, by their names.",
            where: ["after?": .line],
            gives: .page(of: [
                "item": .text, "title": .text, "place?": .text, "beacon?": .text, "code?": .text, "value?": money,
                "picture?": .text, "thumbnail?": .text, "spot?": spot, "changed": .time,
            ])),
        .query(
            "/v1/inventories/{inventory}/beacon-numbers", .ledger(.beaconNumbers),
            "The numbers that are proposed for beacons (iBeacon) of the items that have none: one UUID for the farm, "
                + "one major number for the inventory, and a free minor number for each.",
            where: ["after?": .line],
            gives: .page(of: [
                "item": .name, "title": .text, "uuid": .text, "major": .integer, "minor": .integer, "beacon": .text,
            ])),
        .command(
            .put, "/v1/items/{item}", .ledger(.setItem), for: .grower, gives: ["item": .name], status: 200),
        .command(
            .post, "/v1/items/{item}/removals", .ledger(.removeItem), for: .grower, gives: ["item": .name], status: 200),
        .query(
            "/v1/items/{item}/finds", .ledger(.finds),
            "What the stocktakes of its inventory have found of an item, the newest first; each `line` is that of the "
                + "report, as JSON.",
            gives: .object([
                "items": .list(
                    .object([
                        "stocktake": .name, "title": .text, "started": .time, "finished?": .time, "line": .text,
                    ]))
            ])),
        .query(
            "/v1/stocktakes", .ledger(.stocktakes), "The stocktakes, or those of one inventory.",
            where: ["inventory?": .line, "after?": .line], gives: .page(of: stocktake)),
        .command(
            .post, "/v1/inventories/{inventory}/stocktakes", .ledger(.startStocktake), for: .grower,
            gives: ["stocktake": .name]),
        .query(
            "/v1/stocktakes/{stocktake}", .ledger(.stocktake), "A stocktake with its counts: so far, or as it ended.",
            gives: .object(stocktakeNow)),
        .query(
            "/v1/stocktakes/{stocktake}/lines", .ledger(.stocktakeLines),
            "The lines of the report, each of them JSON: the items, then what was unexpected. After the end they stay, "
                + "and `digest` is the SHA-256 over all lines, each followed by a line feed.",
            where: ["after?": .whole(0...1_000_000)],
            gives: .object(["items": .list(.text), "next?": .integer])),
        .query(
            "/v1/stocktakes/{stocktake}/proof", .ledger(.stocktakeProof),
            "The end of a finished stocktake as an event of the log, with everything that is needed to verify it. The "
                + "event has the digest of the lines.",
            where: ["since?": .line],
            gives: .object([
                "hub": .text, "entry": .text, "salt": .base64, "bytes": .base64, "index": .integer,
                "size": .integer, "proof": .list(.base64), "checkpoint": .text,
                "consistency?": .orNull(.list(.base64)),
            ])),
        .own(
            .get, "/v1/stocktakes/{stocktake}/report.pdf", .stocktakeReport, for: .atLeast(.auditor),
            "The report on A4 pages, with pictures: so far, or as it ended.", gives: .file("application/pdf")),
        .own(
            .post, "/v1/stocktakes/{stocktake}/report-emails", .mailStocktakeReport, for: .atLeast(.grower),
            "Sends the report by e-mail, once, and returns what the mail server answered.",
            takes: .json(["to": .form(.email)]),
            gives: .json(200, .object(["accepted": .flag, "status?": .integer, "reason": .text]))),
        .command(
            .post, "/v1/stocktakes/{stocktake}/sightings", .ledger(.countItems), for: .grower,
            gives: ["stocktake": .name, "recorded": .integer, "isLate": .flag], status: 200),
        .command(
            .post, "/v1/stocktakes/{stocktake}/resolutions", .ledger(.resolveDifference), for: .grower,
            gives: ["thing": .text], status: 200),
        .command(
            .post, "/v1/stocktakes/{stocktake}/finish", .ledger(.finishStocktake), for: .grower,
            gives: [
                "stocktake": .name, "found": .integer, "missing": .integer, "unexpected": .integer, "digest": .text,
            ], status: 200),
    ]

    private static let mapPin = APISchema.object(["place": .form(.place), "spot": spot])
    private static let spot = APISchema.object(["x": .whole(0...1000), "y": .whole(0...1000)])
    private static let stocktake: Shape = [
        "stocktake": .name, "inventory": .name, "title": .text, "started": .time, "startedBy": .text,
        "sightings": .integer, "finished?": .time, "finishedBy?": .text, "found?": .integer, "missing?": .integer,
        "unexpected?": .integer, "digest?": .text,
    ]
    private static let stocktakeNow: Shape = [
        "stocktake": .name, "inventory": .name, "title": .text, "started": .time, "startedBy": .text,
        "sightings": .integer, "finished?": .time, "finishedBy?": .text, "found?": .integer, "missing?": .integer,
        "unexpected?": .integer, "digest?": .text, "late": .integer, "doubled?": .integer, "zone?": .text,
        "places": .list(.object(["place": .text, "title": .text])),
        "unresolved?": .integer,
    ]
}
