import System

/// The backup before the one that is being made. A file that did not change gets a second name there (a hard link)
/// instead of a copy.
///
/// Segments, photographs and most of the hub's dump never change, so a night's backup takes the space of what is new.
struct EarlierBackup {
    let folder: String
    let manifest: Manifest

    /// Returns the facts of the newest backup of a folder; nil if there is none, or its manifest is damaged.
    static func newest(in folder: String) -> EarlierBackup? {
        do {
            let names = try Directory.list(folder).filter {
                BackupRetention.made($0) != nil && !$0.hasSuffix(BackupMaking.vaultSuffix)
            }
            guard let name = names.max() else { return nil }
            return EarlierBackup(folder: "\(folder)/\(name)", manifest: try Manifest(in: "\(folder)/\(name)"))
        } catch {
            // A complete backup needs no other one.
            return nil
        }
    }

    /// Gives this backup's file of the same name and content the path `target`. Returns false if there is none.
    ///
    /// The bytes themselves are compared when the new backup is read back.
    func link(_ name: String, _ sum: FileSum, as target: String) -> Bool {
        guard manifest.kept(name)?.sum == sum else { return false }
        do {
            try File.link("\(folder)/\(name)", as: target)
            return true
        } catch {
            // Some file systems have no hard links.
            return false
        }
    }

    /// Returns the size of the files of these names and sizes that this backup has: an estimate of what is not copied.
    func bytes(of files: [(name: String, bytes: Int)]) -> Int {
        let own = Dictionary(manifest.files.map { ($0.path, $0.sum.bytes) }) { first, _ in first }
        return files.reduce(0) { $0 + (own[$1.name] == $1.bytes ? $1.bytes : 0) }
    }
}
