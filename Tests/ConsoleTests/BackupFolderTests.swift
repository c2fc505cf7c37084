import System
import Testing

@testable import Console

@Suite("The backup folder of a compose stack")
struct BackupFolderTests {
    typealias Rule = (UInt32, [String]) -> BackupFolder.Step

    /// Returns the names of the cases that a rule decides wrongly.
    static func wrong(_ rule: Rule) -> [String] {
        let set = "furrow-20261121T210715Z"
        let cases: [(name: String, owner: UInt32, names: [String], isGiven: Bool, isKept: Bool)] = [
            ("new", 0, [], true, false), ("a disk of its own", 0, ["lost+found"], true, false),
            ("root's with sets", 0, [set, "\(set).vault", "lock"], true, false),
            ("the containers' own", 10_001, [], false, true),
            ("root's with other things", 0, ["etc", "home"], false, false),
            ("sets among other things", 0, [set, "photos"], false, false),
            ("another user's", 1000, [], false, false),
        ]
        return cases.filter { one in
            let step = rule(one.owner, one.names)
            return (step == .give) != one.isGiven || (step == .keep) != one.isKept
        }.map(\.name)
    }

    @Test func `a backup folder is given to the containers' user only if it is root's and contains only backups`() {
        #expect(Self.wrong { BackupFolder.step(owner: $0, names: $1) } == [])
    }

    @Test func `a mutant rule that gives away every folder of root is rejected`() {
        let mutant: Rule = { owner, _ in owner == BackupFolder.owner ? .keep : owner == 0 ? .give : .leave("") }
        #expect(Self.wrong(mutant) == ["root's with other things", "sets among other things"])
    }

    @Test func `a backup folder of another user or with other content is left unchanged without failing`() throws {
        let folder = try Folder()
        try folder.write("backups/notes.txt", [1])
        let step = try BackupFolder(path: folder("backups")).prepare()
        guard case .leave(let reason) = step else {
            Issue.record("\(step)")
            return
        }
        #expect(reason.contains("notes.txt") || reason.contains("belongs to user"))
        #expect(try File.access(folder("backups")).owner == Machine.userID)
        #expect(Console.main(["init", "--backups", folder("backups")]) == 0)
    }

    @Test(.enabled(if: Machine.userID == 0))
    func `a backup folder that was given away is closed to all other users`() throws {
        let folder = try Folder()
        try Directory.create(folder("backups"), mode: 0o755)
        #expect(try BackupFolder(path: folder("backups")).prepare() == .give)
        let access = try File.access(folder("backups"))
        #expect(access.mode == 0o700 && access.owner == BackupFolder.owner)
        #expect(try BackupFolder(path: folder("backups")).prepare() == .keep)
    }
}
