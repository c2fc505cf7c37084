import Events

/// The routes of public evidence, and those that the gateway handles itself.
extension Routes {
    static let evidence: [Route] = [
        .own(
            .get, "/v1/lots/{lot}/passport", .passport, for: .everyone,
            "The story of a lot as an event of the log, with everything needed to check it.",
            where: ["gtin?": .line, "since?": .line, "label?": .line],
            gives: .json(
                200,
                .object([
                    "hub": .text, "entry": .text, "salt": .base64, "bytes": .base64, "index": .integer,
                    "size": .integer, "proof": .list(.base64), "checkpoint": .text,
                    "consistency?": .orNull(.list(.base64)), "waiting?": .flag,
                ]))),
        .own(
            .get, "/ledger/keys", .ledgerKeys, for: .everyone, "The keys of checkpoints and labels.",
            gives: .json(
                200,
                .object([
                    "hub": .text, "checkpointKeys": .list(.anything), "labelKeys": .list(.anything),
                ]))),
        .own(
            .get, "/ledger/checkpoint", .checkpoint, for: .everyone,
            "The newest checkpoint, a signed note (C2SP tlog-checkpoint).", gives: .file("text/plain")),
        .own(
            .get, "/ledger/tile/{level}/{index+}", .tile, for: .everyone,
            "A tile of the log's tree (C2SP tlog-tiles); the index is written in groups, x001/234, and may end in .p/W.",
            gives: .file("application/octet-stream")),
    ]

    static let people: [Route] = [
        .own(
            .post, "/v1/setup", .setUp, for: .everyone,
            "Makes the first administrator with the one-time link's token, and signs in.",
            takes: .json(["token": .line, "name": .line, "email": .form(.email), "password": .form(.password)]),
            gives: .json(201, .object(person))),
        .own(
            .post, "/v1/sessions", .signIn, for: .everyone, "Signs in: sets the session cookie.",
            takes: .json(["email": .form(.email), "password": .form(.secret)]), gives: .json(201, .object(person))),
        .own(
            .delete, "/v1/sessions/current", .signOut, for: .atLeast(.buyer), "Signs out.", gives: .nothing(204)),
        .own(
            .get, "/v1/me", .tellMe, for: .atLeast(.buyer), "Who is signed in.",
            gives: .json(200, .object(person))),
        .own(
            .post, "/v1/buyers", .signUp, for: .everyone, "Makes a buyer's account, and signs in.",
            takes: .json(["name": .line, "email": .form(.email), "password": .form(.password)]),
            gives: .json(201, .object(person))),
        .own(
            .delete, "/v1/me", .eraseMe, for: .atLeast(.buyer),
            "Erases the own account and everything that tells who the person is.", gives: .nothing(204)),
        .own(
            .put, "/v1/me/password", .changePassword, for: .atLeast(.buyer),
            "Changes the own password; sessions on other devices end unless they are to be kept.",
            takes: .json(["old": .form(.secret), "password": .form(.password), "keepOthers?": .flag]),
            gives: .nothing(204)),
        .own(
            .get, "/v1/me/sessions", .listSessions, for: .atLeast(.buyer),
            "Where the person is signed in, the one used last first.",
            gives: .json(
                200,
                .page(of: [
                    "session": .name, "device": .text, "network": .text, "opened?": .time, "used": .time,
                    "current": .flag,
                ]))),
        .own(
            .delete, "/v1/me/sessions/{session}", .endSession, for: .atLeast(.buyer), "Signs one device out.",
            gives: .nothing(204)),
        .own(
            .delete, "/v1/me/sessions", .endSessions, for: .atLeast(.buyer),
            "Signs out everywhere, this device included.", gives: .nothing(204)),
        .own(
            .post, "/v1/password-resets", .requestReset, for: .everyone,
            "Sends a link that sets a new password, if there is an account; the answer is the same if there is none.",
            takes: .json(["email": .form(.email)]), gives: .json(200, .object(["mail": .flag]))),
        .own(
            .post, "/v1/password-resets/redeem", .resetPassword, for: .everyone,
            "Sets a new password with a link's token, ends all sessions, and signs in.",
            takes: .json(["token": .line, "password": .form(.password)]), gives: .json(201, .object(person))),
        .own(
            .get, "/v1/audit-log", .auditLog, for: .atLeast(.auditor),
            "Sign-ins, refusals and changes of access, the newest first.",
            where: ["after?": .line], gives: .json(200, .page(of: AuditRow.shape))),
        .own(
            .get, "/v1/me/export", .exportMe, for: .atLeast(.buyer), "Everything that is kept of the person who asks.",
            gives: .json(200, .object(["account": .object(person), "market": .anything]))),
        .command(
            .put, "/v1/me/contact", .market, "keep-contact", for: .buyer,
            "How the buyer can be reached; kept apart from every log, gone when the account is erased.",
            takes: ["name?": .line, "address?": .lines(2000), "telephone?": .form(.line(40))],
            gives: ["name?": .text, "address?": .text, "telephone?": .text], status: 200),
        .own(
            .get, "/v1/accounts", .listAccounts, for: .atLeast(.administrator), "The accounts of the staff.",
            where: ["after?": .line], gives: .json(200, .page(of: person))),
        .own(
            .post, "/v1/accounts", .enrol, for: .atLeast(.administrator), "Makes an account.",
            takes: .json([
                "name": .line, "email": .form(.email), "password": .form(.password), "role": staffRoles,
            ]),
            gives: .json(201, .object(person))),
        .own(
            .delete, "/v1/accounts/{person}", .erase, for: .atLeast(.administrator),
            "Erases an account and everything that tells who the person is; a buyer of imported orders needs none.",
            gives: .nothing(204)),
        .own(
            .post, "/v1/gateways", .admitGateway, for: .atLeast(.administrator),
            "Admits a box that passes on what radios say; its token is good for POST /v1/adverts and nothing else.",
            takes: .json(["gateway": .name, "title?": .line]),
            gives: .json(201, .object(["gateway": .name, "title": .text, "since": .time, "token": .text]))),
        .own(
            .get, "/v1/gateways", .listGateways, for: .atLeast(.administrator), "The gateways, without their tokens.",
            where: ["after?": .line],
            gives: .json(
                200, .page(of: ["gateway": .name, "title": .text, "since": .time, "dismissed?": .time]))),
        .own(
            .delete, "/v1/gateways/{gateway}", .dismissGateway, for: .atLeast(.administrator),
            "Ends a gateway's token; what it has sent stays.", gives: .nothing(204)),
    ]

    static let own: [Route] = [
        .own(
            .get, "/v1/live", .live, for: .atLeast(.auditor),
            "Alarms and readings as server-sent events, as they come; what is on already tells /v1/alarms.",
            where: ["topics?": .form(.topics)], gives: .file("text/event-stream")),
        .own(
            .get, "/v1/commands/{key+}", .commandStatus, for: .atLeast(.buyer),
            "What became of a change that was answered 202.",
            gives: .json(
                200,
                .object([
                    "command": .text, "state": .words(["done", "pending"]), "status?": .integer, "answer?": .anything,
                ]))),
        .own(
            .get, "/v1/operations", .operations, for: .atLeast(.administrator),
            "How the farm server stands: services, what lags or is parked, the disk, the last backup.",
            gives: .json(200, .object(Operations.shape))),
        .own(
            .get, "/v1/messages/given-up", .listGivenUp, for: .atLeast(.auditor),
            "What could not be said to a buyer or a payment provider, newest first: the farm has to say it otherwise.",
            where: ["after?": .line], gives: .json(200, .page(of: FailedMessageRow.shape))),
        .own(
            .get, "/openapi.json", .describe, for: .everyone, "This description.",
            gives: .json(200, .anything)),
    ]

    private static let staffRoles = APISchema.words(Role.allCases.filter { $0 != .buyer }.map(\.rawValue))
    private static let roles = APISchema.words(Role.allCases.map(\.rawValue))
    private static let person: Shape = ["person": .text, "name": .text, "email": .text, "role": roles]
}
