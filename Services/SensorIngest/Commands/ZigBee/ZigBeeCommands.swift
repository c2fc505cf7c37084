import EventSourcing
import Events
import Host
import JSON
import Radio
import Vocabulary
import Wire

/// The commands by which people create a ZigBee network, let devices join and have them removed. Each returns
/// its effects: the messages to the coordinator, and the events with the response.
struct ZigBeeCommands {
    let tables: any Tables
    let ask: Request
    let wall: Instant

    private func coordinator(_ source: String, _ radios: [String: AttachedRadio]) throws(Problem) -> SerialRadio {
        try ZigBeeQueries(radios: radios, wall: wall).coordinator(source)
    }

    func form(
        _ command: FormNetwork, _ radios: inout [String: AttachedRadio], _ random: (Int) -> [UInt8]
    ) throws(Problem) -> [Effect] {
        let source = command.source
        var radio = try coordinator(source, radios)
        try checkReplacement(command.replaces, radio)
        let channel = command.channel.map { UInt8($0) } ?? NetworkSettings.usualChannel
        let settings = NetworkSettings(channel: channel, random: random(NetworkSettings.randomBytes))
        let orders = radio.form(settings, at: wall)
        radios[source]?.serial = radio
        return sends(orders, to: source) + [.settle(ask, [], .made { $0.field("state", "forming") })]
    }

    /// Throws unless the coordinator can get another network, and the number of the present one was confirmed.
    private func checkReplacement(_ replaces: String?, _ radio: SerialRadio) throws(Problem) {
        guard radio.coordinator.canForm else { throw Self.busy }
        guard radio.coordinator.phase == .running else { return }
        let name = radio.coordinator.network?.shortName ?? "unknown"
        guard replaces == name else {
            throw Problem(
                409, "network-exists",
                "The coordinator has a network, \(name). A new one erases it, and all its devices have to join again.")
        }
    }

    private static let busy = Problem(
        409, "coordinator-busy", "The coordinator is starting; try again in a minute.")

    func backUp(
        _ command: BackUpCoordinator, _ radios: inout [String: AttachedRadio]
    ) throws(Problem) -> [Effect] {
        let source = command.source
        var radio = try coordinator(source, radios)
        guard radio.coordinator.phase == .running else {
            throw radio.coordinator.phase == .blank
                ? Problem(409, "no-network", "The coordinator has no network that could be backed up.") : Self.busy
        }
        let orders = radio.readBackup(at: wall)
        radios[source]?.serial = radio
        return sends(orders, to: source) + [.settle(ask, [], .made { $0.field("state", "reading") })]
    }

    func restore(
        _ command: RestoreCoordinator, _ radios: inout [String: AttachedRadio], _ random: (Int) -> [UInt8]
    ) throws(Problem) -> [Effect] {
        let source = command.source
        var radio = try coordinator(source, radios)
        let backup: CoordinatorBackup
        do throws(JSONError) {
            var json = JSONWriter()
            command.backup.write(to: &json)
            backup = try CoordinatorBackup(json: JSONValue.parse(json.bytes))
        } catch {
            throw Problem(422, "unreadable-backup", "This is no backup of a coordinator: \(error).")
        }
        try checkReplacement(command.replaces, radio)
        let orders = radio.restore(backup, random: random(NetworkSettings.randomBytes), at: wall)
        radios[source]?.serial = radio
        return sends(orders, to: source) + [.settle(ask, [], .made { $0.field("state", "restoring") })]
    }

    func permit(
        _ command: PermitJoining, _ radios: inout [String: AttachedRadio]
    ) throws(Problem) -> [Effect] {
        let source = command.source
        var radio = try coordinator(source, radios)
        let seconds = command.seconds
        guard radio.coordinator.phase == .running else {
            throw Problem(409, "no-network", "The coordinator has no network that devices could join.")
        }
        let orders = radio.permitJoining(seconds: UInt8(seconds), at: wall)
        radios[source]?.serial = radio
        let event = JoiningPermitted(source: source, seconds: seconds)
        let draft = Draft(event, in: "network/\(source)", by: ask.actor)
        return sends(orders, to: source) + [.settle(ask, [draft], .made { $0.field("seconds", seconds) })]
    }

    func remove(
        _ command: RemoveDevice, _ radios: inout [String: AttachedRadio]
    ) throws(Problem) -> [Effect] {
        let device = command.device
        guard let row = tables.get(ZigBeeDeviceRow.self, device.rawValue), let ieee = row.ieee else {
            throw Problem(404, "unknown-device", "\(device) did not join a ZigBee network of this farm.")
        }
        var orders: [ZNPMessage] = []
        if var radio = radios[row.source]?.serial {
            orders = radio.remove(ieee, at: wall)
            radios[row.source]?.serial = radio
        }
        let event = DeviceRemoved(device: device)
        let draft = Draft(event, in: "device/\(device)", by: ask.actor)
        return sends(orders, to: row.source) + [.settle(ask, [draft], .made { $0.field("device", device) })]
    }

    private func sends(_ orders: [ZNPMessage], to source: String) -> [Effect] {
        orders.map { .send(source: source, bytes: $0.bytes) }
    }
}
