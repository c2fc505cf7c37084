import System
import Vocabulary

/// The rule for which backups in a folder are removed.
struct BackupRetention {
    /// The longest time for which secrets and erased persons may be retained, in days.
    static let vaultDays = 30.0

    /// The number of backups to retain; nil for all.
    let keep: Int?
    let now: Instant

    /// Returns the folders to remove. It only uses their names, so damaged backups are removed, too.
    func expired(among names: [String]) -> [String] {
        let facts = names.filter { Self.made($0) != nil && !$0.hasSuffix(BackupMaking.vaultSuffix) }.sorted()
        let vaults = names.filter { $0.hasSuffix(BackupMaking.vaultSuffix) && Self.made($0) != nil }
        let old = keep.map { facts.dropLast($0) } ?? []
        let limit = now.advanced(bySeconds: -Self.vaultDays * 86_400)
        let gone = vaults.filter { name in
            (Self.made(name) ?? now) < limit || old.contains(String(name.dropLast(BackupMaking.vaultSuffix.count)))
        }
        return (Array(old) + gone).sorted()
    }

    /// Removes them and returns their names.
    func apply(in folder: String) throws -> [String] {
        let gone = expired(among: try Directory.list(folder))
        for name in gone { try Directory.remove("\(folder)/\(name)") }
        return gone
    }

    /// Returns the time in the name of a backup folder; nil for any other folder.
    static func made(_ name: String) -> Instant? {
        let digits = name.dropFirst("furrow-".count).prefix(16)
        guard name.hasPrefix("furrow-"), digits.count == 16, digits.last == "Z",
            !name.hasSuffix(BackupMaking.unfinished)
        else { return nil }
        let text = Array(digits)
        guard text[8] == "T", (text[0..<8] + text[9..<15]).allSatisfy(\.isNumber) else { return nil }
        func part(_ range: Range<Int>) -> String { String(text[range]) }
        return Instant(
            "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T\(part(9..<11)):\(part(11..<13)):\(part(13..<15))Z")
    }
}
