import Events
import Wire

/// The routes of inventories and stocktakes.
extension Routes {
    static let inventories: [Route] = [
        .query("/v1/inventories", .inventory(.inventories)),
        .command(
            .put, "/v1/inventories/{inventory}", .ledger(.setInventory), for: .grower, gives: ["inventory": .name],
            status: 200),
        .query("/v1/farm-maps", .inventory(.farmMaps)),
        .command(
            .put, "/v1/farms/{farm}/map", .ledger(.setFarmMap), for: .grower, gives: ["farm": .name], status: 200),
        .query("/v1/inventories/{inventory}/items", .inventory(.items)),
        .query("/v1/inventories/{inventory}/beacon-numbers", .inventory(.beaconNumbers)),
        .command(
            .put, "/v1/items/{item}", .ledger(.setItem), for: .grower, gives: ["item": .name], status: 200),
        .command(
            .post, "/v1/items/{item}/removals", .ledger(.removeItem), for: .grower, gives: ["item": .name], status: 200),
        .query("/v1/items/{item}/finds", .inventory(.finds)),
        .query("/v1/stocktakes", .inventory(.stocktakes)),
        .command(
            .post, "/v1/inventories/{inventory}/stocktakes", .ledger(.startStocktake), for: .grower,
            gives: ["stocktake": .name]),
        .query("/v1/stocktakes/{stocktake}", .inventory(.stocktake)),
        .query("/v1/stocktakes/{stocktake}/lines", .inventory(.stocktakeLines)),
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
}
