import Events
import Wire

/// The routes of public evidence, and those that the gateway handles itself.
extension Routes {
    static let evidence: [Route] = [
        .own(
            .get, "/v1/lots/{lot}/passport", .passport, for: .everyone,
            "The story of a lot as an event of the log, with everything that is needed to verify it.",
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
            .get, "/v1/publisher-key", .publisherKey, for: .everyone,
            "The key by which the farm signs public responses for those who send `Accept-Signature`: HTTP Message Signatures (RFC "
                + "9421) over the address, the fields and `Content-Digest`. Nodes pass such responses on.",
            gives: .json(200, .object(["kty": .text, "crv": .text, "x": .text, "kid": .text]))),
        .own(
            .get, "/.well-known/ohttp-gateway", .sealingKey, for: .everyone,
            "The key for requests that cross others and that only the farm can read: Oblivious HTTP (RFC 9458, RFC 9540). They "
                + "are sent to the same address as `message/ohttp-req`, and may be any request of this description but streams.",
            gives: .file("application/ohttp-keys")),
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
            "Creates the first administrator with the token of the one-time link, and signs in.",
            takes: .json(["token": .line, "name": .line, "email": .form(.email), "password": .form(.password)]),
            gives: .json(201, .object(person))),
        .own(
            .post, "/v1/sessions", .signIn, for: .everyone, "Signs in: sets the session cookie.",
            takes: .json(["email": .form(.email), "password": .form(.secret)]), gives: .json(201, .object(person))),
        .own(
            .delete, "/v1/sessions/current", .signOut, for: .atLeast(.buyer), "Signs out.", gives: .nothing(204)),
        .own(
            .get, "/v1/me", .tellMe, for: .atLeast(.buyer), "The person who is signed in.",
            gives: .json(200, .object(person))),
        .own(
            .post, "/v1/buyers", .signUp, for: .everyone, "Creates a buyer's account, and signs in.",
            takes: .json(["name": .line, "email": .form(.email), "password": .form(.password)]),
            gives: .json(201, .object(person))),
        .own(
            .delete, "/v1/me", .eraseMe, for: .atLeast(.buyer),
            "Erases the caller's account and all personal data.", gives: .nothing(204)),
        .own(
            .put, "/v1/me/language", .setLanguage, for: .atLeast(.buyer),
            "Sets the language of the caller's pages, letters and notifications, on all devices.",
            takes: .json(["language": languages]), gives: .nothing(204)),
        .own(
            .put, "/v1/me/promotion-hours", .setNotificationHours, for: .atLeast(.buyer),
            "Sets the hours of the day in which the caller's devices are notified of promotions, by the farm's clock; over "
                + "midnight if `to` is before `from`. Those who set none are notified from 08:00 to 20:00.",
            takes: .json(["from": .form(.clock), "to": .form(.clock)]), gives: .nothing(204)),
        .own(
            .put, "/v1/me/password", .changePassword, for: .atLeast(.buyer),
            "Changes the caller's password; ends sessions on other devices unless the request keeps them.",
            takes: .json(["old": .form(.secret), "password": .form(.password), "keepOthers?": .flag]),
            gives: .nothing(204)),
        .own(
            .get, "/v1/me/sessions", .listSessions, for: .atLeast(.buyer),
            "The caller's sessions, the last used first.",
            gives: .json(
                200,
                .page(of: [
                    "session": .name, "device": .text, "network": .text, "opened?": .time, "used": .time,
                    "current": .flag,
                ]))),
        .own(
            .delete, "/v1/me/sessions/{session}", .endSession, for: .atLeast(.buyer), "Ends the session of one device.",
            gives: .nothing(204)),
        .own(
            .delete, "/v1/me/sessions", .endSessions, for: .atLeast(.buyer),
            "Ends all sessions of the caller, including this one.", gives: .nothing(204)),
        .own(
            .post, "/v1/password-resets", .requestReset, for: .everyone,
            "Sends a link for a new password if the account exists; the response is the same if it does not.",
            takes: .json(["email": .form(.email)]), gives: .json(200, .object(["mail": .flag]))),
        .own(
            .post, "/v1/password-resets/redeem", .resetPassword, for: .everyone,
            "Sets a new password with the token of a link, ends all sessions, and signs in.",
            takes: .json(["token": .line, "password": .form(.password)]), gives: .json(201, .object(person))),
        .own(
            .get, "/v1/audit-log", .auditLog, for: .atLeast(.auditor),
            "Sign-ins, refusals and changes of access, the newest first.",
            where: ["after?": .line], gives: .json(200, .page(of: AuditRow.shape))),
        .own(
            .get, "/v1/me/export", .exportMe, for: .atLeast(.buyer),
            "All data that is stored about the caller: by the accounts, the market, and the recommender. `missing` names what "
                + "cannot be read now.",
            gives: .json(
                200,
                .object([
                    "account": .object(person), "market": .anything, "suggestions?": .anything,
                    "missing?": .list(.text),
                ]))),
        .command(
            .put, "/v1/me/contact", .contact(.keepContact), for: .buyer,
            gives: ["name?": .text, "address?": .text, "telephone?": .text], status: 200),
        .own(
            .get, "/v1/accounts", .listAccounts, for: .atLeast(.administrator), "The accounts of the staff.",
            where: ["after?": .line], gives: .json(200, .page(of: person))),
        .own(
            .post, "/v1/accounts", .enrol, for: .atLeast(.administrator), "Creates an account of the staff.",
            takes: .json([
                "name": .line, "email": .form(.email), "password": .form(.password), "role": staffRoles,
            ]),
            gives: .json(201, .object(person))),
        .own(
            .delete, "/v1/accounts/{person}", .erase, for: .atLeast(.administrator),
            "Erases an account and all personal data; a buyer of imported orders needs no account.",
            gives: .nothing(204)),
        .own(
            .post, "/v1/gateways", .admitGateway, for: .atLeast(.administrator),
            "Admits a radio gateway; its token permits what a gateway or hub sends, and nothing else.",
            takes: .json(["gateway": .name, "title?": .line]),
            gives: .json(201, .object(["gateway": .name, "title": .text, "since": .time, "token": .text]))),
        .own(
            .get, "/v1/gateways", .listGateways, for: .atLeast(.administrator),
            "The gateways, without their tokens, and their posts since the server started (`seenSince`). `clockAhead` is in "
                + "seconds.",
            where: ["after?": .line],
            gives: .json(
                200,
                .page(of: [
                    "gateway": .name, "title": .text, "since": .time, "dismissed?": .time, "seenSince?": .time,
                    "lastSeen?": .time, "messages?": .integer, "clockAhead?": .number,
                    "hub?": .object([
                        "at": .time, "trouble?": .text, "connected": .list(.text), "waiting": .integer,
                        "oldest?": .time, "received": .integer, "removed": .integer, "refused": .integer,
                    ]),
                ]))),
        .own(
            .get, "/v1/beacons", .listBeacons, for: .atLeast(.auditor),
            "What each reader receives now of Bluetooth beacons and other devices, the nearest first. `nearest` is held "
                + "to the reader: within 0.5 m for more than 3 of the last 6 seconds; `isFound` is the same within 1 m. "
                + "`/v1/live?topics=beacons` sends an item each second.",
            where: ["reader?": .line], gives: .json(200, .page(of: nearby))),
        .own(
            .delete, "/v1/gateways/{gateway}", .dismissGateway, for: .atLeast(.administrator),
            "Revokes a gateway's token; its reports stay.", gives: .nothing(204)),
        .own(
            .get, "/v1/device-keys", .listDeviceKeys, for: .atLeast(.auditor),
            "The Bluetooth sensors and ZigBee networks whose keys were entered. The keys themselves are never shown.",
            gives: .json(200, .page(of: ["device": .text, "since": .time]))),
        .own(
            .post, "/v1/device-keys", .setDeviceKey, for: .atLeast(.grower),
            "Enters the key (bindkey) of a Bluetooth sensor that encrypts: 32 hexadecimal digits. Its messages are decoded "
                + "from then on, and those that were stored before. `zigbee:NAME` is the key of a ZigBee network, with which "
                + "captures are decrypted.",
            takes: .json(["device": .line, "key": .line]), gives: .json(200, .object(["device": .text]))),
        .own(
            .delete, "/v1/device-keys/{device}", .removeDeviceKey, for: .atLeast(.grower),
            "Removes the key of a sensor.", gives: .nothing(204)),
    ]

    private static let nearby: Shape = [
        "reader": .text, "at": .time, "nearest?": .text,
        "beacons": .list(
            .object([
                "beacon": .text, "rssi": .integer, "metres": .number,
                "proximity": .words(["immediate", "near", "far", "unknown"]), "perSecond": .number,
                "isFound": .flag, "volts?": .number,
                "celsius?": .number,
            ])),
    ]

    static let channels: [Route] = [
        .own(
            .get, "/v1/me/channels", .listOwnChannels, for: .atLeast(.buyer),
            "How the caller is notified beside e-mail: of alarms, or buyers of promotions; and the key that a browser needs to subscribe.",
            gives: .json(
                200,
                .object([
                    "items": .list(.object(Channel.shape)), "next?": .orNull(.text), "pushKey": .text, "mail": .flag,
                    "promotionHours": .object(["from": .text, "to": .text]),
                ]))),
        .own(
            .post, "/v1/me/channels", .subscribePush, for: .atLeast(.buyer),
            "Notifies the caller on a device, staff of alarms and buyers of promotions: takes the browser's Web Push subscription (RFC 8030).",
            takes: .json([
                "endpoint": .form(.link(1000)), "p256dh": .form(.line(200)), "auth": .form(.line(200)),
            ]),
            gives: .json(201, .object(Channel.shape))),
        .own(
            .delete, "/v1/me/channels/{channel}", .removeOwnChannel, for: .atLeast(.buyer),
            "Ends the notifications on a device.", gives: .nothing(204)),
        .own(
            .post, "/v1/me/channels/{channel}/tests", .testOwnChannel, for: .atLeast(.buyer),
            "Sends a test message to a device, once, and returns what its push service answered.",
            gives: .json(200, .object(channelTest))),
        .own(
            .get, "/v1/webhooks", .listWebhooks, for: .atLeast(.administrator), "The webhooks, without their secrets.",
            gives: .json(200, .page(of: Channel.shape))),
        .own(
            .post, "/v1/webhooks", .makeWebhook, for: .atLeast(.administrator),
            "Creates a webhook by which a person is notified of alarms, with the secret that signs its requests.",
            takes: .json(["recipient": .name, "url": .form(.link(500)), "title?": .form(.line(80))]),
            gives: .json(201, .object(Channel.shape.with(["secret": .text])))),
        .own(
            .delete, "/v1/webhooks/{channel}", .removeWebhook, for: .atLeast(.administrator), "Removes a webhook.",
            gives: .nothing(204)),
        .own(
            .post, "/v1/webhooks/{channel}/tests", .testWebhook, for: .atLeast(.administrator),
            "Sends a signed test request, once, and returns what the receiver answered.",
            gives: .json(200, .object(channelTest))),
        .own(
            .get, "/v1/notifications", .listNotifications, for: .atLeast(.auditor),
            "The notifications of alarms, one for each person and channel: those that wait, then the last ended ones.",
            gives: .json(200, .page(of: DeliveryRow.shape))),
    ]

    private static let channelTest: Shape = ["accepted": .flag, "status?": .integer, "reason": .text]

    static let own: [Route] = [
        .own(
            .get, "/v1/live", .live, for: .atLeast(.auditor),
            "Alarms, readings and counts of stocktakes as server-sent events; /v1/alarms lists alarms that are on already.",
            where: ["topics?": .form(.topics)], gives: .file("text/event-stream")),
        .own(
            .get, "/v1/commands/{key+}", .commandStatus, for: .atLeast(.buyer),
            "The outcome of a change whose response was 202.",
            gives: .json(
                200,
                .object([
                    "command": .text, "state": .words(["done", "pending"]), "status?": .integer, "answer?": .anything,
                ]))),
        .own(
            .get, "/v1/operations", .operations, for: .atLeast(.administrator),
            "The state of the farm server: services, lag, parked events, disk, last backup.",
            gives: .json(200, .object(Operations.shape))),
        .own(
            .get, "/v1/messages/given-up", .listGivenUp, for: .atLeast(.auditor),
            "Messages that could not be delivered, the newest first; the staff has to inform the recipients otherwise.",
            where: ["after?": .line], gives: .json(200, .page(of: FailedMessageRow.shape))),
        .own(
            .get, "/openapi.json", .describe, for: .everyone, "This description.",
            gives: .json(200, .anything)),
    ]

    private static let staffRoles = APISchema.words(Role.allCases.filter { $0 != .buyer }.map(\.rawValue))
    private static let roles = APISchema.words(Role.allCases.map(\.rawValue))
    private static let languages = APISchema.words(PageLanguage.allCases.map(\.rawValue))
    private static let person: Shape = [
        "person": .text, "name": .text, "email": .text, "role": roles, "language?": languages,
    ]
}
