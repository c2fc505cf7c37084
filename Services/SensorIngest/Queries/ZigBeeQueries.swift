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
    func backup(_ query: CoordinatorBackupQuery) throws(Problem) -> CoordinatorBackupResponse {
        let coordinator = try coordinator(query.source).coordinator
        if let reason = coordinator.backupFailure {
            throw Problem(409, "backup-failed", "There is no backup: \(reason).")
        }
        let backup = coordinator.backup.map { backup in
            var json = JSONWriter()
            json.object { backup.write(fields: &$0, made: wall) }
            return json.bytes
        }
        do throws(JSONError) {
            return CoordinatorBackupResponse(
                state: coordinator.phase == .reading ? .reading : backup == nil ? .none : .ready,
                backup: try backup.map { bytes throws(JSONError) in try JSONAny(json: JSONValue.parse(bytes)) })
        } catch {
            throw Problem(500, "internal", "The backup cannot be written as JSON: \(error)")
        }
    }

    /// Returns all coordinators.
    func list() -> ResponsePage<CoordinatorResponse> {
        ResponsePage(
            radios.sorted { $0.key < $1.key }.compactMap { source, radio in
                radio.serial.map { response(source, $0) }
            })
    }

    private func response(_ source: String, _ radio: SerialRadio) -> CoordinatorResponse {
        let coordinator = radio.coordinator
        return CoordinatorResponse(
            source: source, state: coordinator.state, trouble: radio.trouble(at: wall),
            formingFailure: coordinator.formingFailure, firmware: coordinator.firmware?.title,
            device: coordinator.ieee.map(DeviceID.zigbee), panId: coordinator.network?.shortName,
            extendedPanId: coordinator.network?.longName, channel: coordinator.network.map { Int($0.channel) },
            openSeconds: radio.openUntil.map { max(0, Int($0.seconds(since: wall).rounded(.up))) })
    }
}

extension Coordinator {
    fileprivate var state: CoordinatorState {
        switch phase {
        case .running: .running
        case .blank: .blank
        case .forming: .forming
        case .reading: .reading
        case .restoring: .restoring
        case .greeting, .versioning, .identifying, .checkingRecord, .checkingMembership, .starting, .registering,
            .subscribing, .describing:
            .starting
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
