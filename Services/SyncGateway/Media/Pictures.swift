import EventStore
import HTTP
import Host
import Imaging
import JSON
import Vault
import Vocabulary
import Wire

/// Storage of pictures by the SHA-256 of their bytes. Workers read and write them.
extension SyncGateway {
    mutating func keepMedia(_ call: RequestContext) throws(Problem) -> [Effect] {
        let bytes = call.web.request.body
        guard Picture.type(of: bytes) != nil else { throw Self.notAPicture }
        guard let media else { throw .busy }
        let most = mediaBytes
        return try begin(.keepMedia(call.web), most: GatewayLimits.pictures) {
            Self.keep(bytes, in: media, most: most)
        }
    }

    /// Stores a picture on a worker. Returns its name, and behind it that of its small copy; empty if the disk failed;
    /// `isFull` or `isDamaged` if it is refused.
    private static func keep(_ bytes: [UInt8], in media: Media, most: Int) -> [UInt8] {
        do throws(PictureError) {
            let picture = try Picture(withoutMetadata: bytes)
            do throws(MediaError) {
                var names = try media.put(picture.bytes, most: most)
                if let copy = thumbnail(of: picture.bytes) { names += try media.put(copy, most: most) }
                return Array(names.utf8)
            } catch .full {
                return isFull
            } catch {
                return []
            }
        } catch .damaged(let reason) {
            return isDamaged + reason.utf8
        } catch {
            return isDamaged
        }
    }

    /// Returns a picture's small copy. Nil if it cannot be decoded: lists then show the picture itself.
    private static func thumbnail(of picture: [UInt8]) -> [UInt8]? {
        do throws(ImagingError) {
            return try SmallCopy.thumbnail(of: SmallCopy.bitmap(of: picture, side: SmallCopy.thumbnailSide))
        } catch {
            return nil
        }
    }

    mutating func giveMedia(_ call: RequestContext) throws(Problem) -> [Effect] {
        let name = call.parameter("sha256") ?? ""
        guard name.utf8.count == 64, Hex.decode(name) != nil, let media else { throw Self.noPicture }
        return try begin(.giveMedia(call.web), most: GatewayLimits.pictures) {
            do {
                return try media.get(name) ?? []
            } catch {
                return []
            }
        }
    }

    func mediaKept(_ web: WebRequest, _ result: [UInt8]) -> [Effect] {
        if let refusal = refusal(web, result) { return refusal }
        let names = String(decoding: result, as: UTF8.self)
        return [
            respond(
                web,
                .made(201) { json in
                    json.field("sha256", String(names.prefix(64)))
                    json.field("thumbnail", ifPresent: names.count > 64 ? String(names.dropFirst(64)) : nil)
                })
        ]
    }

    /// Returns the response if a worker could not store a picture; nil if it did.
    func refusal(_ web: WebRequest, _ result: [UInt8]) -> [Effect]? {
        guard result != Self.isFull else {
            return [
                respond(
                    web,
                    Problem(
                        507, "media-full",
                        "The pictures have used their room of \(mediaBytes >> 20) MiB, and this one was not kept. The "
                            + "operator can give them more with FURROW_MEDIA_BYTES.")),
                .note(OperatorEvent("media_refused")),
            ]
        }
        guard !result.starts(with: Self.isDamaged) else {
            let reason = String(decoding: result.dropFirst(Self.isDamaged.count), as: UTF8.self)
            return [
                respond(
                    web,
                    Problem(
                        422, "damaged-picture",
                        "The picture cannot be kept: \(reason). Save it again as PNG or JPEG, and send that."))
            ]
        }
        guard !result.isEmpty else {
            return [
                respond(web, Problem(503, "not-kept", "The picture could not be kept; try again.")),
                .note(OperatorEvent("media_failures")),
            ]
        }
        return nil
    }

    func mediaRead(_ web: WebRequest, _ result: [UInt8]) -> [Effect] {
        guard let type = Picture.type(of: result) else { return [respond(web, Self.noPicture)] }
        // A picture that is named by its bytes never changes.
        let response = HTTPResponse(status: 200, type: type, body: result)
        return [respond(web, response.with("Cache-Control", "public, max-age=31536000, immutable"))]
    }

    /// A worker's result if the limit of all pictures is exceeded.
    static let isFull: [UInt8] = [0]
    /// The beginning of a worker's result if the picture is damaged; the reason follows.
    static let isDamaged: [UInt8] = [1]

    static let notAPicture = Problem(422, "not-a-picture", "Send a picture as PNG, JPEG, WebP or GIF.")

    private static let noPicture = Problem(404, "no-picture", "There is no picture of this name.")
}
