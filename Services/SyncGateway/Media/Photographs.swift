import EventSourcing
import EventStore
import HTTP
import Host
import JSON
import Vault
import Vocabulary
import Wire

/// A photograph that is being stored.
struct PhotographCall {
    let web: WebRequest
    let actor: Actor
    let key: String
    let place: String
    let camera: String?
    let at: String?
}

/// Photographs of places: a worker removes their metadata and makes two small copies; then the ledger records them.
extension SyncGateway {
    mutating func takePhotograph(_ call: RequestContext) throws(Problem) -> [Effect] {
        let bytes = call.web.request.body
        guard let type = Picture.type(of: bytes), type != "image/gif" else { throw Self.notAPicture }
        guard let media else { throw .busy }
        let (place, camera) = (call.parameter("place") ?? "", call.parameter("camera") ?? call.gateway?.name)
        // A camera sends no key. The ledger knows a picture by its bytes and place; a key made of them would return an
        // earlier refusal for ever.
        let key = call.key.flatMap { $0.isEmpty ? nil : $0 } ?? "photograph-\(time.microseconds)-\(takeToken())"
        let photograph = PhotographCall(
            web: call.web, actor: call.actor, key: key, place: place, camera: camera, at: call.parameter("at"))
        if let gateway = call.gateway { try notePhotograph(of: gateway) }
        let most = mediaBytes
        return try begin(.storePhotograph(photograph), most: GatewayLimits.pictures) {
            PhotographFiles.store(bytes, in: media, most: most)
        }
    }

    mutating func photographStored(_ call: PhotographCall, _ result: [UInt8]) -> [Effect] {
        if let refusal = refusal(call.web, result) { return refusal }
        do throws(Problem) {
            let files: PhotographFiles
            do {
                files = try PhotographFiles(json: JSONValue.parse(result))
            } catch {
                throw .malformed(error)
            }
            var json = JSONWriter()
            json.object { json in
                files.write(fields: &json)
                json.field("place", call.place)
                json.field("camera", ifPresent: call.camera)
                json.field("at", ifPresent: call.at)
            }
            let command = Forwarded(
                .ledger(.recordPhotograph), body: json.bytes, actor: call.actor, key: call.key,
                trace: call.web.trace)
            return try begin(.command(call.web, command)) {
                command.outgoing($0, seconds: GatewayLimits.commandSeconds)
            }
        } catch {
            return [respond(call.web, error)]
        }
    }
}
