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
            .post, "/v1/coordinators/network", .sensors(.formNetwork), for: .administrator, gives: ["state": .text],
            status: 200),
        .command(
            .post, "/v1/coordinators/backups", .sensors(.backUpCoordinator), for: .administrator,
            gives: ["state": .text], status: 200),
        .query(
            "/v1/coordinators/backup", .sensors(.coordinatorBackup), for: .administrator,
            "The last backup in the Open Coordinator Backup Format. It contains the network key: a person who has it can "
                + "listen to the network and join it.",
            where: ["source": .line],
            gives: .object(["state": .words(["none", "reading", "ready"]), "backup?": .anything])),
        .command(
            .post, "/v1/coordinators/restorations", .sensors(.restoreCoordinator), for: .administrator,
            gives: ["state": .text], status: 200),
        .command(
            .post, "/v1/coordinators/joining", .sensors(.permitJoining), for: .grower, gives: ["seconds": .integer],
            status: 200),
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
            gives: ["device": .text], status: 200),
    ]
}
