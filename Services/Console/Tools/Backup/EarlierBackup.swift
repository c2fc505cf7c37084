import System

/// The backup before the one that is being made. A file that did not change gets a second name there (a hard link)
/// instead of a copy.
///
/// Segments, photographs and most of the hub's dump never change, so a night's backup takes the space of what is new.
struct EarlierBackup {
    private let folder: String
    private let sums: [String: FileSum]

    /// Takes the facts of the newest backup of a folder. Nil if there is none, or its manifest is damaged: a complete
    /// backup needs no other one.
    init?(newestIn folder: String) {
        do {
            let names = try Directory.list(folder).filter {
                BackupRetention.made($0) != nil && !$0.hasSuffix(BackupMaking.vaultSuffix)
            }
            guard let name = names.max() else { return nil }
            self.folder = "\(folder)/\(name)"
            let files = try Manifest(in: self.folder).files
            sums = Dictionary(files.map { ($0.path, $0.sum) }) { first, _ in first }
        } catch {
            return nil
        }
    }

    /// Returns the size of its file of this name; nil if it has none.
    func bytes(of name: String) -> Int? { sums[name]?.bytes }

    /// Gives its file of this name and content the path `target`.
    ///
    /// Returns false if there is none, or the file system has no hard links.
    ///
    /// The bytes themselves are compared when the new backup is read back.
    func link(_ name: String, _ sum: FileSum, as target: String) -> Bool {
        guard sums[name] == sum else { return false }
        do {
            try File.link("\(folder)/\(name)", as: target)
            return true
        } catch {
            return false
        }
    }
}
