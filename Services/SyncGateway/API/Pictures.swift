import EventStore
import HTTP
import Host
import JSON
import Vocabulary
import Wire

/// Pictures, by the SHA-256 of their bytes. Workers read and write them.
extension SyncGateway {
    mutating func keepMedia(_ call: Call) throws(Problem) -> [Effect] {
        let bytes = call.web.request.body
        guard Self.pictureType(of: bytes) != nil else {
            throw Problem(422, "not-a-picture", "Send a picture as PNG, JPEG, WebP or GIF.")
        }
        guard let media else { throw .busy }
        return try begin(.keepMedia(call.web), most: Bounds.pictures) {
            do {
                return Array(try media.put(bytes).utf8)
            } catch {
                return []
            }
        }
    }

    mutating func giveMedia(_ call: Call) throws(Problem) -> [Effect] {
        let name = call.parameter("sha256") ?? ""
        guard name.utf8.count == 64, Hex.decode(name) != nil, let media else { throw Self.noPicture }
        return try begin(.giveMedia(call.web), most: Bounds.pictures) {
            do {
                return try media.get(name) ?? []
            } catch {
                return []
            }
        }
    }

    func mediaKept(_ web: WebRequest, _ result: [UInt8]) -> [Effect] {
        guard !result.isEmpty else {
            return [
                respond(web, Problem(503, "not-kept", "The picture could not be kept; try again.")),
                .note(Note("media_failures")),
            ]
        }
        return [respond(web, .made(201) { $0.field("sha256", String(decoding: result, as: UTF8.self)) })]
    }

    func mediaRead(_ web: WebRequest, _ result: [UInt8]) -> [Effect] {
        guard let type = Self.pictureType(of: result) else { return [respond(web, Self.noPicture)] }
        // What is named by its bytes never changes.
        let response = HTTPResponse(status: 200, type: type, body: result)
        return [respond(web, response.with("Cache-Control", "public, max-age=31536000, immutable"))]
    }

    private static let noPicture = Problem(404, "no-picture", "There is no picture of this name.")

    /// By their first bytes; nil for what is no picture. What can hold scripts is none.
    static func pictureType(of bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if bytes.starts(with: Array("GIF8".utf8)) { return "image/gif" }
        if bytes.starts(with: Array("RIFF".utf8)), bytes.dropFirst(8).starts(with: Array("WEBP".utf8)) {
            return "image/webp"
        }
        return nil
    }
}
