import EventStore
import System
import Vault

/// The files of a home that a backup must copy, service by service; everything else can be recreated.
struct HomeContents {
    /// One file or folder of a service's slot: its path in the home, and its name in a backup.
    struct Item: Equatable {
        let path: String
        let name: String
    }

    /// Folders of sealed segments, including those of the ledger's journal.
    private(set) var segments: [Item] = []
    private(set) var journals: [Item] = []
    private(set) var vaults: [Item] = []
    /// Folders of photographs and documents.
    private(set) var media: [Item] = []
    /// Small files of the home itself, and the operator's own maps.
    private(set) var settings: [Item] = []

    static let mediaFolder = "media"
    private static let settingFiles = ["demo.json"]
    private static let mapFolder = "maps"
    private static let mapSuffix = ".geojson"

    /// - Parameter homes: the home, or that of each service.
    init(_ homes: [String]) throws {
        for home in homes { try look(in: home) }
    }

    private mutating func look(in home: String) throws {
        for service in try Self.names(in: home) where Directory.isDirectory("\(home)/\(service)") {
            for slot in try Directory.list("\(home)/\(service)") where Int(slot) != nil {
                let folder = "\(home)/\(service)/\(slot)"
                let (journal, vault) = ("\(folder)/\(SQLiteLog.fileName)", "\(folder)/\(Vault.fileName)")
                if File.exists(journal) {
                    journals.append(Item(path: journal, name: "journals/\(service)/\(slot).db"))
                }
                let sealed = SegmentDirectory(ofJournal: journal).path
                if Directory.isDirectory(sealed) {
                    segments.append(Item(path: sealed, name: "journals/\(service)/\(slot)\(SegmentDirectory.suffix)"))
                }
                if File.exists(vault) { vaults.append(Item(path: vault, name: "\(service)/\(slot).db")) }
                if Directory.isDirectory("\(folder)/\(Self.mediaFolder)") {
                    media.append(Item(path: "\(folder)/\(Self.mediaFolder)", name: "media/\(service)/\(slot)"))
                }
            }
        }
        settings += Self.settingFiles.filter { File.exists("\(home)/\($0)") }.map {
            Item(path: "\(home)/\($0)", name: "home/\($0)")
        }
        let maps = "\(home)/\(Self.mapFolder)"
        guard Directory.isDirectory(maps) else { return }
        settings += try Directory.list(maps).filter { $0.hasSuffix(Self.mapSuffix) }.sorted().map {
            Item(path: "\(maps)/\($0)", name: "home/\(Self.mapFolder)/\($0)")
        }
    }

    /// Locks homes that no service uses; throws the refusal of the first one that is used.
    static func lock(_ homes: [String], orElse refusal: (_ home: String) -> Refusal) throws -> [FileLock] {
        try homes.map { home in
            guard let taken = try FileLock(path: "\(home)/\(lock)"), try !isServed(home) else { throw refusal(home) }
            return taken
        }
    }

    /// Returns whether a service holds the lock of one of its slots in a home.
    static func isServed(_ home: String) throws -> Bool {
        for service in try names(in: home) where Directory.isDirectory("\(home)/\(service)") {
            for slot in try Directory.list("\(home)/\(service)") where Int(slot) != nil {
                let path = "\(home)/\(service)/\(slot)/\(lock)"
                if File.exists(path), try FileLock(path: path) == nil { return true }
            }
        }
        return false
    }

    /// The file that a service locks in its slot, and a command in a home.
    static let lock = "lock"

    /// Returns the names in a home, without the `lost+found` of a file system that is mounted there.
    static func names(in home: String) throws(SystemError) -> [String] {
        try Directory.list(home).filter { $0 != "lost+found" }
    }

    /// Returns the path of a backup's file in a home; nil for a file that is not copied there, such as the hub's
    /// tables.
    static func place(of name: String, part: Manifest.Part) -> String? {
        let parts = name.split(separator: "/").map(String.init)
        switch (part, parts.count, parts.first) {
        case (.vault, 2, _): return slot(parts[0], parts[1]).map { "\($0)/\(Vault.fileName)" }
        case (.facts, 3, "journals"): return slot(parts[1], parts[2]).map { "\($0)/\(SQLiteLog.fileName)" }
        case (.facts, 4, "journals"):
            return slot(parts[1], parts[2], ending: SegmentDirectory.suffix).map { slot in
                "\(SegmentDirectory(ofJournal: "\(slot)/\(SQLiteLog.fileName)").path)/\(parts[3])"
            }
        case (.facts, 4, "media"): return "\(parts[1])/\(parts[2])/\(mediaFolder)/\(parts[3])"
        case (.facts, 2, "home"): return parts[1]
        case (.facts, 3, "home"): return parts[1] == mapFolder ? "\(mapFolder)/\(parts[2])" : nil
        default: return nil
        }
    }

    private static func slot(_ service: String, _ file: String, ending: String = ".db") -> String? {
        guard file.hasSuffix(ending), Int(file.dropLast(ending.count)) != nil else { return nil }
        return "\(service)/\(file.dropLast(ending.count))"
    }
}
