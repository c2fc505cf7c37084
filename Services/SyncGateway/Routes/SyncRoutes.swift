import Events

/// The routes by which clients that work offline synchronise.
extension Routes {
    static let sync: [Route] = [
        .own(
            .get, "/v1/sync", .pull, for: .everyone,
            "What changed since a position of the hub, in the shape of WatermelonDB: what everybody may see, and what "
                + "is the caller's own. With another epoch or scope than the last time, everything.",
            where: [
                "last_pulled_at?": .form(.pulled), "epoch?": .line, "scope?": .line, "county?": .line,
                // WatermelonDB sends these; they have no effect.
                "schema_version?": .form(.pulled), "migration?": .lines(2000),
            ],
            gives: .json(
                200,
                .object([
                    "changes": .anything, "timestamp": .integer, "epoch": .text, "scope": .text, "replace": .flag,
                    "more": .flag, "me": .orNull(.anything), "experimentalStrategy?": .text,
                    "payments": .list(.words(PaymentMethod.allCases.map(\.rawValue))),
                ]))),
        .own(
            .get, "/v1/sync/live", .pullLive, for: .everyone,
            "Says that there is something new to pull, as server-sent events, at most one a second. A person has four "
                + "live streams: the fifth closes the oldest, after the event `replaced`.",
            gives: .file("text/event-stream")),
        .own(
            .post, "/v1/sync", .push, for: .atLeast(.buyer),
            "Orders, favourites and `showings` of promotions that were made without a network. Each is a change of its "
                + "own, done once for its id and answered by itself. `person` is whose they are: if that is not the caller, nothing is done (401).",
            takes: .json(["changes": .map(.object(changes)), "person?": .line]),
            gives: .json(
                200,
                .object([
                    "results": .list(
                        .object(["table": .text, "id": .text, "status": .integer, "answer": .anything])),
                    "experimentalRejectedIds": .anything,
                ]))),
        .own(
            .put, "/v1/site", .present, for: .atLeast(.administrator),
            "Sets the texts and sponsors of the shop's start page; clients receive them with the next pull.",
            takes: .json(site), gives: .json(200, .object(site))),
        .own(
            .post, "/v1/media", .keepMedia, for: .atLeast(.grower),
            "Stores a picture (PNG, JPEG, WebP, GIF) without its metadata, and a small copy of it (WebP, at most 30 kB) for "
                + "lists. A GIF has none.",
            takes: .octets, gives: .json(201, .object(["sha256": .text, "thumbnail?": .text]))),
        .own(
            .get, "/media/{sha256}", .media, for: .everyone, "A picture, by the SHA-256 of its bytes.",
            gives: .file("image/*")),
    ]

    /// The changes to the records of a table.
    private static let changes: Shape = [
        "created?": .list(.object(record)), "updated?": .list(.object(record)), "deleted?": .list(.form(.record)),
    ]
    /// WatermelonDB defines records: `_status`, `_changed` and columns of the client's own are ignored.
    private static let record: Shape = (["id": .form(.record)] as Shape).open

    private static let site: Shape = [
        "title?": .line, "welcome?": .lines(1000), "donate?": .form(.link(500)),
        "sponsors?": .few(.object(["name": .line, "website?": .form(.link(500))]), 0...GatewayLimits.sponsors),
    ]
}
