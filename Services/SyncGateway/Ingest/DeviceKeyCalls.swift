import EventSourcing
import Events
import HTTP
import Host
import JSON
import Vault
import Vocabulary
import Wire

/// Administration of the keys of sensors, and their way to the processes that decode.
extension SyncGateway {
    mutating func listDeviceKeys(_ call: RequestContext) throws(Problem) -> [Effect] {
        let keys = try allDeviceKeys().keys
        let response = HTTPResponse.made { json in
            json.field(
                "items",
                array: { json in
                    for key in keys {
                        json.object { json in
                            json.field("device", key.device)
                            json.field("since", key.since)
                        }
                    }
                })
            json.field("next", JSONAny.null)
        }
        return [respond(call.web, response)]
    }

    /// Throws a 422 for a device or key that cannot be one, and a 409 if there are too many.
    mutating func setDeviceKey(_ call: RequestContext) throws(Problem) -> [Effect] {
        let body = try call.body()
        let (device, effects) = try setDeviceKey(
            of: try body.text("device", limit: 200), to: try body.text("key", limit: 200), by: call.actor)
        return effects + [respond(call.web, .made(200) { $0.field("device", device) })]
    }

    mutating func removeDeviceKey(_ call: RequestContext) throws(Problem) -> [Effect] {
        try removeDeviceKey(of: call.parameter("device") ?? "", by: call.actor)
            + [respond(call.web, HTTPResponse(status: 204))]
    }

    /// Handles the operator's command `device-key`: without a key it removes the one that is stored.
    mutating func changeDeviceKey(_ ask: Request) -> [Effect] {
        do throws(Problem) {
            guard ask.actor == .service("console") else {
                throw Problem(403, "not-allowed", "Only the operator's command changes keys this way.")
            }
            let body = try RequestBody(ask.body)
            let device = try body.text("device", limit: 200)
            let effects =
                if let key = try body.optionalText("key") {
                    try setDeviceKey(of: device, to: key, by: ask.actor).effects
                } else {
                    try removeDeviceKey(of: device, by: ask.actor)
                }
            return effects + [
                .reply(ask, .made(200) { $0.field("device", DeviceKey.device(device)?.rawValue ?? device) })
            ]
        } catch {
            return [.reply(ask, error.answer)]
        }
    }

    /// Returns the keys for a process that decodes, unless it has them.
    ///
    /// - Parameter digest: That of its keys, empty before it has any; nil for a version that takes none.
    mutating func deviceKeys(unlike digest: String?) throws(Problem) -> (keys: [DeviceKey], digest: String)? {
        let all = try allDeviceKeys()
        guard let digest, digest != all.digest else { return nil }
        return all
    }

    private mutating func setDeviceKey(
        of text: String, to key: String, by actor: Actor
    ) throws(Problem) -> (device: DeviceID, effects: [Effect]) {
        guard let device = DeviceKey.device(text) else {
            throw Problem(
                422, "no-such-device",
                "device: use the address of a Bluetooth sensor, ble:a4c138112233, or a name for a ZigBee network, "
                    + "zigbee:greenhouse.")
        }
        guard let bytes = DeviceKey.read(key) else {
            throw Problem(422, "no-key", "key: use 32 hexadecimal digits (0 to 9, a to f), or 16 numbers with commas.")
        }
        let known = try allDeviceKeys().keys
        guard known.count < GatewayLimits.deviceKeys || known.contains(where: { $0.device == device }) else {
            throw Problem(409, "too-many", "There are \(GatewayLimits.deviceKeys) keys already; remove old ones.")
        }
        guard !known.contains(where: { $0.device == device && $0.key == bytes }) else { return (device, []) }
        let made = DeviceKey(device: device, key: bytes, since: time)
        do throws(VaultError) { try deviceKeys.put(made) } catch { throw Problem(error) }
        return (device, changed(.deviceKeySet, nil, device: device, by: actor))
    }

    private mutating func removeDeviceKey(of text: String, by actor: Actor) throws(Problem) -> [Effect] {
        let isKnown: Bool
        let device = DeviceKey.device(text)
        do throws(VaultError) {
            isKnown = if let device { try deviceKeys.remove(device) } else { false }
        } catch {
            throw Problem(error)
        }
        guard let device, isKnown else { throw Problem(404, "unknown-key", "There is no key of \(text).") }
        return changed(.deviceKeyRemoved, nil, device: device, by: actor)
    }

    private mutating func allDeviceKeys() throws(Problem) -> (keys: [DeviceKey], digest: String) {
        do throws(VaultError) { return try deviceKeys.all() } catch { throw Problem(error) }
    }
}
