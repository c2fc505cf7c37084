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

    /// The longest sides of the copies, and the most bytes of the smaller one: a list of them loads fast in the field.
    static let previewSide = 1024
    static let thumbnailSide = 320
    static let thumbnailBytes = 30_000
    private static let qualities: [Double] = [75, 60, 45, 30]

    /// Stores a photograph on a worker. Returns the files as JSON; else a result of `SyncGateway.refusal`.
    static func store(_ bytes: [UInt8], in media: Media, most: Int) -> [UInt8] {
        do {
            let picture = try Picture(withoutMetadata: bytes)
            let bitmap = try PictureDecoder.bitmap(of: picture.bytes, side: previewSide)
                .turned(by: JPEGPicture.orientation(of: picture.bytes)?.value ?? 1)
            let preview = try WebPEncoder.encode(bitmap, side: previewSide, quality: 75)
            let thumbnail = try thumbnail(of: bitmap)
            let size = WebPEncoder.size(of: bitmap, within: previewSide)
            let files = PhotographFiles(
                picture: try media.put(picture.bytes, most: most), preview: try media.put(preview, most: most),
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

    /// Returns the copy for lists, at the best quality that is small enough.
    private static func thumbnail(of bitmap: Bitmap) throws(ImagingError) -> [UInt8] {
        var bytes: [UInt8] = []
        for quality in qualities {
            bytes = try WebPEncoder.encode(bitmap, side: thumbnailSide, quality: quality)
            if bytes.count <= thumbnailBytes { break }
        }
        return bytes
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
