import Imaging
import JSON
import Vault

/// The stored files of a photograph: the picture without metadata, and two copies of it, by their SHA-256.
struct PhotographFiles: JSONReadable, Equatable {
    let picture: String
    let preview: String
    let thumbnail: String
    /// The size of the preview in pixels.
    let width: Int
    let height: Int

    /// Stores a photograph on a worker. Returns the files as JSON; else a result of `SyncGateway.refusal`.
    static func store(_ bytes: [UInt8], in media: Media, most: Int) -> [UInt8] {
        do {
            var picture = try Picture(withoutMetadata: bytes).bytes
            let isLarge = picture.count > GatewayLimits.bodyBytes
            let bitmap = try SmallCopy.bitmap(
                of: picture, side: isLarge ? GatewayLimits.photographSide : SmallCopy.previewSide)
            // A camera's originals would fill the disk within weeks.
            if isLarge { picture = try WebPEncoder.encode(bitmap, side: GatewayLimits.photographSide, quality: 80) }
            let preview = try SmallCopy.preview(of: bitmap)
            let thumbnail = try SmallCopy.thumbnail(of: bitmap)
            let size = WebPEncoder.size(of: bitmap, within: SmallCopy.previewSide)
            let files = PhotographFiles(
                picture: try media.put(picture, most: most), preview: try media.put(preview, most: most),
                thumbnail: try media.put(thumbnail, most: most), width: size.width, height: size.height)
            var json = JSONWriter()
            json.object { files.write(fields: &$0) }
            return json.bytes
        } catch let error as PictureError {
            if case .damaged(let reason) = error { return SyncGateway.isDamaged + reason.utf8 }
            return SyncGateway.isDamaged
        } catch let error as ImagingError {
            return SyncGateway.isDamaged + Self.words(of: error).utf8
        } catch MediaError.full {
            return SyncGateway.isFull
        } catch {
            return []
        }
    }

    private static func words(of error: ImagingError) -> String {
        switch error {
        case .unknownFormat: "it is neither JPEG, PNG nor WebP"
        case .tooManyPixels: "it has too many pixels"
        case .damaged(let reason): reason
        }
    }

    init(picture: String, preview: String, thumbnail: String, width: Int, height: Int) {
        self.picture = picture
        self.preview = preview
        self.thumbnail = thumbnail
        self.width = width
        self.height = height
    }

    init(json: borrowing JSONValue) throws(JSONError) {
        picture = try json.get("picture")
        preview = try json.get("preview")
        thumbnail = try json.get("thumbnail")
        width = try json.get("width")
        height = try json.get("height")
    }

    func write(fields json: inout JSONWriter) {
        json.field("picture", picture)
        json.field("preview", preview)
        json.field("thumbnail", thumbnail)
        json.field("width", width)
        json.field("height", height)
    }
}
