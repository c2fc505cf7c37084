import Events
import Vocabulary
import Wire

/// The routes of ZigBee networks: their coordinators, and the devices that join.
extension Routes {
    static let networks: [Route] = [
        .query("/v1/coordinators", .sensors(.coordinators)),
        .command(
            .post, "/v1/coordinators/network", .sensors(.formNetwork), for: .administrator, gives: ["state": .text],
            status: 200),
        .command(
            .post, "/v1/coordinators/backups", .sensors(.backUpCoordinator), for: .administrator,
            gives: ["state": .text], status: 200),
        .query("/v1/coordinators/backup", .sensors(.coordinatorBackup), for: .administrator),
        .command(
            .post, "/v1/coordinators/restorations", .sensors(.restoreCoordinator), for: .administrator,
            gives: ["state": .text], status: 200),
        .command(
            .post, "/v1/coordinators/joining", .sensors(.permitJoining), for: .grower, gives: ["seconds": .integer],
            status: 200),
        .query("/v1/zigbee-devices", .sensors(.zigbeeDevices)),
        .command(
            .post, "/v1/zigbee-devices/{device}/removal", .sensors(.removeDevice), for: .grower,
            gives: ["device": .text], status: 200),
    ]
}
