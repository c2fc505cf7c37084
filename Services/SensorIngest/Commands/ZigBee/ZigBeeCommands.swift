import EventSourcing
import Events
import Host
import JSON
import Radio
import Vocabulary
import Wire

/// The commands by which people create a ZigBee network, let devices join and have them removed, and the list of the
/// coordinators that are attached to this process.
struct ZigBeeCommands {
    let tables: any Tables
    let ask: Request
    let wall: Instant

    /// Returns the messages to radios, the events, and the response.
    func execute(
        _ body: RequestBody, _ radios: inout [String: AttachedRadio], _ random: (Int) -> [UInt8]
    ) throws(Problem) -> (effects: [Effect], drafts: [Draft], answer: Response) {
        switch ask.verb {
        case "form-network": try form(body, &radios, random)
        case "permit-joining": try permit(body, &radios)
        case "remove-device": try remove(body, &radios)
        case "back-up-coordinator": try backUp(body, &radios)
        case "restore-coordinator": try restore(body, &radios, random)
        case "coordinator-backup": ([], [], try backup(body, radios))
        default: ([], [], list(radios))
        }
    }

    private func coordinator(
        _ body: RequestBody, _ radios: [String: AttachedRadio]
    ) throws(Problem) -> (source: String, radio: SerialRadio) {
        let source = try body.text("source")
        guard let radio = radios[source]?.serial else {
            throw Problem(404, "unknown-coordinator", "No coordinator \(source) is attached to this server.")
        }
        return (source, radio)
    }

    private func form(
        _ body: RequestBody, _ radios: inout [String: AttachedRadio], _ random: (Int) -> [UInt8]
    ) throws(Problem) -> ([Effect], [Draft], Response) {
        var (source, radio) = try coordinator(body, radios)
        let channel: Int = try body.find("channel") ?? Int(NetworkSettings.usualChannel)
        guard (11...26).contains(channel) else { throw Problem(400, "malformed", "channel: use 11 to 26.") }
        try checkReplacement(body, radio)
        let settings = NetworkSettings(channel: UInt8(channel), random: random(NetworkSettings.randomBytes))
        let orders = radio.form(settings, at: wall)
        radios[source]?.serial = radio
        return (sends(orders, to: source), [], .made { $0.field("state", "forming") })
    }

    /// Throws unless the coordinator can get another network, and the number of the present one was confirmed.
    private func checkReplacement(_ body: RequestBody, _ radio: SerialRadio) throws(Problem) {
        guard radio.coordinator.canForm else { throw Self.busy }
        guard radio.coordinator.phase == .running else { return }
        let name = radio.coordinator.network?.shortName ?? "unknown"
        guard try body.optionalText("replaces") == name else {
            throw Problem(
                409, "network-exists",
                "The coordinator has a network, \(name). A new one erases it, and all its devices have to join again.")
        }
    }

    private static let busy = Problem(
        409, "coordinator-busy", "The coordinator is starting; try again in a minute.")

    private func backUp(
        _ body: RequestBody, _ radios: inout [String: AttachedRadio]
    ) throws(Problem) -> ([Effect], [Draft], Response) {
        var (source, radio) = try coordinator(body, radios)
        guard radio.coordinator.phase == .running else {
            throw radio.coordinator.phase == .blank
                ? Problem(409, "no-network", "The coordinator has no network that could be backed up.") : Self.busy
        }
        let orders = radio.readBackup(at: wall)
        radios[source]?.serial = radio
        return (sends(orders, to: source), [], .made { $0.field("state", "reading") })
    }

    private func restore(
        _ body: RequestBody, _ radios: inout [String: AttachedRadio], _ random: (Int) -> [UInt8]
    ) throws(Problem) -> ([Effect], [Draft], Response) {
        var (source, radio) = try coordinator(body, radios)
        let backup: CoordinatorBackup
        do throws(JSONError) {
            backup = try body.json.get("backup")
        } catch {
            throw Problem(422, "unreadable-backup", "This is no backup of a coordinator: \(error).")
        }
        try checkReplacement(body, radio)
        let orders = radio.restore(backup, random: random(NetworkSettings.randomBytes), at: wall)
        radios[source]?.serial = radio
        return (sends(orders, to: source), [], .made { $0.field("state", "restoring") })
    }

    /// Returns the last backup, which contains the network key.
    private func backup(_ body: RequestBody, _ radios: [String: AttachedRadio]) throws(Problem) -> Response {
        let coordinator = try coordinator(body, radios).radio.coordinator
        if let reason = coordinator.backupFailure {
            throw Problem(409, "backup-failed", "There is no backup: \(reason).")
        }
        return .made { json in
            json.field(
                "state", coordinator.phase == .reading ? "reading" : coordinator.backup == nil ? "none" : "ready")
            guard let backup = coordinator.backup else { return }
            json.field("backup", object: { backup.write(fields: &$0, made: wall) })
        }
    }

    private func permit(
        _ body: RequestBody, _ radios: inout [String: AttachedRadio]
    ) throws(Problem) -> ([Effect], [Draft], Response) {
        var (source, radio) = try coordinator(body, radios)
        let seconds: Int = try body.get("seconds")
        guard (0...254).contains(seconds) else { throw Problem(400, "malformed", "seconds: use 0 to 254.") }
        guard radio.coordinator.phase == .running else {
            throw Problem(409, "no-network", "The coordinator has no network that devices could join.")
        }
        let orders = radio.permitJoining(seconds: UInt8(seconds), at: wall)
        radios[source]?.serial = radio
        let event = JoiningPermitted(source: source, seconds: seconds)
        return (
            sends(orders, to: source), [Draft(event, in: "network/\(source)", by: ask.actor)],
            .made { $0.field("seconds", seconds) }
        )
    }

    private func remove(
        _ body: RequestBody, _ radios: inout [String: AttachedRadio]
    ) throws(Problem) -> ([Effect], [Draft], Response) {
        let device: DeviceID = try body.get("device")
        guard let row = tables.get(ZigBeeDeviceRow.self, device.rawValue), let ieee = row.ieee else {
            throw Problem(404, "unknown-device", "\(device) did not join a ZigBee network of this farm.")
        }
        var orders: [ZNPMessage] = []
        if var radio = radios[row.source]?.serial {
            orders = radio.remove(ieee, at: wall)
            radios[row.source]?.serial = radio
        }
        let event = DeviceRemoved(device: device)
        return (
            sends(orders, to: row.source), [Draft(event, in: "device/\(device)", by: ask.actor)],
            .made { $0.field("device", device) }
        )
    }

    private func sends(_ orders: [ZNPMessage], to source: String) -> [Effect] {
        orders.map { .send(source: source, bytes: $0.bytes) }
    }

    private func list(_ radios: [String: AttachedRadio]) -> Response {
        let coordinators = radios.sorted { $0.key < $1.key }.compactMap { source, radio in
            radio.serial.map { (source, $0) }
        }
        return .made { json in
            json.field(
                "items",
                array: { json in
                    for (source, radio) in coordinators { json.object { json in write(source, radio, to: &json) } }
                })
        }
    }

    private func write(_ source: String, _ radio: SerialRadio, to json: inout JSONWriter) {
        let coordinator = radio.coordinator
        json.field("source", source)
        json.field("state", coordinator.state)
        json.field("trouble", ifPresent: radio.trouble(at: wall))
        json.field("formingFailure", ifPresent: coordinator.formingFailure)
        json.field("firmware", ifPresent: coordinator.firmware?.title)
        json.field("device", ifPresent: coordinator.ieee.map(DeviceID.zigbee))
        json.field("panId", ifPresent: coordinator.network?.shortName)
        json.field("extendedPanId", ifPresent: coordinator.network?.longName)
        json.field("channel", ifPresent: coordinator.network.map { Int($0.channel) })
        json.field(
            "openSeconds", ifPresent: radio.openUntil.map { max(0, Int($0.seconds(since: wall).rounded(.up))) })
    }
}

extension Coordinator {
    /// The state, in a word of the API.
    fileprivate var state: String {
        switch phase {
        case .running: "running"
        case .blank: "blank"
        case .forming: "forming"
        case .reading: "reading"
        case .restoring: "restoring"
        case .greeting, .versioning, .identifying, .checkingRecord, .checkingMembership, .starting, .registering,
            .subscribing, .describing:
            "starting"
        }
    }
}

extension SystemMessage.Firmware {
    /// `Z-Stack 3.x.0, 20220219`
    fileprivate var title: String {
        let stack =
            switch product {
            case 0: "Z-Stack 1.2"
            case 1: "Z-Stack 3.x.0"
            case 2: "Z-Stack 3.0"
            default: "Z-Stack \(major).\(minor).\(maintenance)"
            }
        return revision.map { "\(stack), \($0)" } ?? stack
    }
}
