import Events
import Vocabulary
import Wire

/// The routes of ZigBee networks: their coordinators, and the devices that join.
extension Routes {
    static let networks: [Route] = [
        .query(
            "/v1/coordinators", .sensors(.coordinators),
            "The ZigBee coordinators of this server, their networks, and for how long devices may join.",
            gives: .object([
                "items": .list(
                    .object([
                        "source": .text,
                        "state": .words(["starting", "blank", "forming", "running", "reading", "restoring"]),
                        "trouble?": .text, "formingFailure?": .text, "firmware?": .text, "device?": .text,
                        "panId?": .text, "extendedPanId?": .text, "channel?": .integer, "openSeconds?": .integer,
                    ]))
            ])),
        .command(
            .post, "/v1/coordinators/network", .sensors(.formNetwork), for: .administrator,
            "Has a coordinator form a new network with a random key. An existing network is erased if `replaces` is "
                + "its `panId`; all its devices have to join again.",
            takes: ["source": .line, "channel?": .whole(11...26), "replaces?": .line], gives: ["state": .text],
            status: 200),
        .command(
            .post, "/v1/coordinators/backups", .sensors(.backUpCoordinator), for: .administrator,
            "Begins to read a backup of a coordinator's network; `/v1/coordinators/backup` returns it.",
            takes: ["source": .line], gives: ["state": .text], status: 200),
        .query(
            "/v1/coordinators/backup", .sensors(.coordinatorBackup), for: .administrator,
            "The last backup in the Open Coordinator Backup Format. It contains the network key: a person who has it can "
                + "listen to the network and join it.",
            where: ["source": .line],
            gives: .object(["state": .words(["none", "reading", "ready"]), "backup?": .anything])),
        .command(
            .post, "/v1/coordinators/restorations", .sensors(.restoreCoordinator), for: .administrator,
            "Gives a coordinator the network of a backup, also one of another make, so that no device has to join "
                + "again. An existing network is erased if `replaces` is its `panId`. Unplug the former coordinator first.",
            takes: ["source": .line, "backup": .anything, "replaces?": .line], gives: ["state": .text], status: 200),
        .command(
            .post, "/v1/coordinators/joining", .sensors(.permitJoining), for: .grower,
            "Lets devices join a coordinator's network for so many seconds; 0 ends that.",
            takes: ["source": .line, "seconds": .whole(0...254)], gives: ["seconds": .integer], status: 200),
        .query(
            "/v1/zigbee-devices", .sensors(.zigbeeDevices),
            "The devices that joined a ZigBee network of the farm, and what they were set up to report.",
            where: ["after?": .line],
            gives: .page(of: [
                "device": .text, "source": .text, "joined": .time, "interviewed?": .time, "isRouter": .flag,
                "isRemoved": .flag, "reporting": .text, "unfulfilled": .text, "maker?": .text, "model?": .text,
                "last?": .time, "point?": .name,
            ])),
        .command(
            .post, "/v1/zigbee-devices/{device}/removal", .sensors(.removeDevice), for: .grower,
            "Requests that a device leaves its network, now and whenever it sends something. What it has measured stays.",
            takes: [:], gives: ["device": .text], status: 200),
    ]
}
