import Vocabulary

/// A picture that a camera wrote into the watched folder: `plot/south/mast/0001.jpg`.
///
/// The first two folders are the place that it shows. A third one, if there is one, is the name of the camera.
struct CameraFile: Hashable, Sendable {
    /// The path within the folder.
    let path: String
    let place: Place
    let camera: String?

    private static let endings = [".jpg", ".jpeg", ".png", ".webp"]

    /// Returns nil for what is no picture of a place: other endings, hidden files, other folders.
    init?(path: String) {
        let parts = path.split(separator: "/").map(String.init)
        guard (3...4).contains(parts.count), let name = parts.last, !name.hasPrefix("."),
            Self.endings.contains(where: name.lowercased().hasSuffix), let place = Place("\(parts[0])/\(parts[1])")
        else { return nil }
        self.path = path
        self.place = place
        camera = parts.count == 4 ? parts[2] : nil
    }

    /// Returns the address at which a farm takes it, with the time at which it was written.
    func target(taken: Instant) -> String {
        let query = [("place", place.description), ("camera", camera), ("at", taken.description)]
            .compactMap { name, value in value.map { "\(name)=\(Self.encoded($0))" } }
        return "/v1/photographs?" + query.joined(separator: "&")
    }

    /// Percent-encodes everything but what RFC 3986 (2.3) leaves as it is.
    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain =
                byte < 128 && (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || Array("-._~".utf8).contains(byte)
            return isPlain ? String(UnicodeScalar(byte)) : "%" + Hex.encode([byte]).uppercased()
        }.joined()
    }
}
