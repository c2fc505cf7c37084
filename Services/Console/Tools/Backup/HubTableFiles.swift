import System

/// The files of a backup that hold the dump of one table of the hub, as runs of equal size.
///
/// The hub is only appended to. So the files of one night but the last are those of the night before, byte for byte,
/// and need no second place on the disk.
enum HubTableFiles {
    /// Bytes of every file but the last.
    static let bytes = 8 << 20

    /// Returns the name of a file by its number: `hub/entry.copy`, `hub/entry.1.copy` and so on.
    static func name(of table: String, _ number: Int) -> String {
        number == 0 ? "hub/\(table).copy" : "hub/\(table).\(number).copy"
    }

    /// Returns the files of a table in a manifest, in order.
    static func files(of table: String, in manifest: Manifest) -> [Manifest.Kept] {
        let kept = Dictionary(manifest.files.map { ($0.path, $0) }) { first, _ in first }
        var files: [Manifest.Kept] = []
        while let file = kept[name(of: table, files.count)] { files.append(file) }
        return files
    }

    /// Writes a dump into files of a folder.
    struct Writer {
        private let folder: String
        private let table: String
        private let most: Int
        private var writer: FileWriter?
        private var written = 0
        /// The names of the files so far.
        private(set) var names: [String] = []

        /// - Parameter most: the bytes of every file but the last.
        init(_ table: String, in folder: String, most: Int = HubTableFiles.bytes) throws {
            (self.table, self.folder, self.most) = (table, folder, most)
            try begin()
        }

        private mutating func begin() throws {
            names.append(HubTableFiles.name(of: table, names.count))
            writer = try FileWriter(path: "\(folder)/\(names[names.count - 1])")
            written = 0
        }

        mutating func write(_ piece: [UInt8]) throws {
            var rest = piece[...]
            while !rest.isEmpty {
                if written == most {
                    try end()
                    try begin()
                }
                let part = rest.prefix(most - written)
                try writer?.write(Array(part))
                written += part.count
                rest = rest.dropFirst(part.count)
            }
        }

        /// Syncs the last file.
        func end() throws { try writer?.synchronize() }
    }

    /// Reads the files of a table one after the other.
    struct Reader {
        private let folder: String
        private var rest: ArraySlice<Manifest.Kept>
        private var reader: FileReader?

        init(_ table: String, of manifest: Manifest, in folder: String) {
            self.folder = folder
            rest = HubTableFiles.files(of: table, in: manifest)[...]
        }

        /// Returns the next piece; empty at the end of the last file.
        mutating func read(_ bytes: Int) throws -> [UInt8] {
            while true {
                if let piece = try reader?.read(bytes), !piece.isEmpty { return piece }
                guard let next = rest.popFirst() else { return [] }
                reader = try FileReader(path: "\(folder)/\(next.path)")
            }
        }
    }
}
