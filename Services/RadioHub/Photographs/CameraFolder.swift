import System
import Vocabulary

/// The folder into which cameras write. It is the queue: a file stays until the farm has recorded its picture.
struct CameraFolder: Sendable {
    let path: String

    /// What was found: pictures that are complete, and whether there are more than one search returns.
    struct Found: Sendable {
        var files: [CameraFile] = []
        var isCut = false
    }

    /// Returns the pictures that were written at least some seconds ago, in the order of their paths.
    ///
    /// A camera may still be writing a younger one. Links are not followed: a camera's account must not send other
    /// files of this box.
    func search(at now: Int64) throws(SystemError) -> Found {
        var found = Found()
        for kind in ["plot", "store"] where Directory.isDirectory("\(path)/\(kind)") {
            for place in try Directory.list("\(path)/\(kind)") {
                try search("\(kind)/\(place)", depth: 0, at: now, into: &found)
            }
        }
        return found
    }

    private func search(
        _ folder: String, depth: Int, at now: Int64, into found: inout Found
    ) throws(SystemError) {
        guard try File.kind("\(path)/\(folder)") == .directory else { return }
        for name in try Directory.list("\(path)/\(folder)") {
            let inner = "\(folder)/\(name)"
            switch try File.kind("\(path)/\(inner)") {
            case .directory where depth == 0: try search(inner, depth: 1, at: now, into: &found)
            case .file:
                guard let file = CameraFile(path: inner), let written = try File.written("\(path)/\(inner)"),
                    abs(now - written) >= CameraLimits.restMicroseconds
                else { continue }
                guard found.files.count < CameraLimits.files else {
                    found.isCut = true
                    return
                }
                found.files.append(file)
            case .directory, .other, nil: continue
            }
        }
    }

    /// Returns the bytes of a picture and when it was written; nil if the file is gone or too large to be sent.
    func read(_ file: CameraFile) throws(SystemError) -> (bytes: [UInt8], written: Instant)? {
        let path = "\(path)/\(file.path)"
        guard let written = try File.written(path), try File.size(path) <= CameraLimits.bytes else { return nil }
        return (try File.read(path, limit: CameraLimits.bytes), Instant(microseconds: written))
    }

    /// Removes a picture that the farm has recorded.
    func remove(_ file: CameraFile) throws(SystemError) { try File.remove("\(path)/\(file.path)") }

    /// Gives a picture that the farm refuses a name under which it is not sent again, and stays.
    func setAside(_ file: CameraFile) throws(SystemError) {
        try File.move("\(path)/\(file.path)", to: "\(path)/\(file.path).refused")
    }
}

/// The limits of the watched folder.
enum CameraLimits {
    /// Microseconds for which a file must not have changed, and between two searches.
    static let restMicroseconds: Int64 = 3_000_000
    static let searchMicroseconds: Int64 = 5_000_000
    /// Microseconds after which pictures of a place are sent again that the farm did not know.
    static let unknownMicroseconds: Int64 = 15_000_000
    /// The most pictures of one search.
    static let files = 1_000
    /// The most bytes of a picture, which the farm accepts.
    static let bytes = 12 << 20
}
