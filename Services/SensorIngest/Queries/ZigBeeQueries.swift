import EventSourcing
import JSON
import Radio
import Vocabulary
import Wire

/// The queries about the coordinators that are attached to this process.
struct ZigBeeQueries {
    let radios: [String: AttachedRadio]
    let wall: Instant

    /// Returns the coordinator of a source; throws a 404 if none of that name is attached.
    func coordinator(_ source: String) throws(Problem) -> SerialRadio {
        guard let radio = radios[source]?.serial else {
            throw Problem(404, "unknown-coordinator", "No coordinator \(source) is attached to this server.")
        }
        return radio
    }

    /// Returns the last backup, which contains the network key.
    func backup(_ body: RequestBody) throws(Problem) -> Response {
        let coordinator = try coordinator(body.text("source")).coordinator
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

    /// Returns all coordinators.
    func list() -> Response {
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
