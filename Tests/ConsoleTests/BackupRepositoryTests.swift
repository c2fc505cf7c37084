import JSON
import Testing

@testable import Console

@Suite("The repository of backups")
struct BackupRepositoryTests {
    @Test func `backups are found among the snapshots of the repository, with their secrets while they remain`() throws
    {
        let snapshots = """
            [{"id":"b2","time":"2026-11-21T21:07:20Z","paths":["/mnt/a/furrow-20261121T210715Z.vault"],"tags":["vault"]},
            {"id":"c1","paths":["/home/ada/letters"]},
            {"id":"b1","paths":["/mnt/a/furrow-20261121T210715Z"],"tags":["facts"]},
            {"id":"a1","paths":["/mnt/b/furrow-20261021T210715Z"]},
            {"id":"d1","paths":[]}]
            """
        #expect(
            BackupRepository.copies(try JSONValue.parse(Array(snapshots.utf8)).read()) == [
                BackupRepository.Copy(name: "furrow-20261021T210715Z", facts: "a1", vault: nil),
                BackupRepository.Copy(name: "furrow-20261121T210715Z", facts: "b1", vault: "b2"),
            ])
    }

    @Test func `a complaint of restic is said in one line without the address, which may contain a password`() {
        let address = "rest:https://ada:secret@nas.test/farm"
        let said = BackupRepository.sentence(
            "Fatal: unable to open config file: \(address)/config: no route\nIs there a repository at \(address)?\n",
            "backup", without: address)
        #expect(said == "restic backup failed: unable to open config file: (the repository)/config: no route.")
        #expect(!said.contains("secret"))
        #expect(
            BackupRepository.sentence("pack 12: ciphertext verification failed\n", "check", without: address)
                == "restic check failed: pack 12: ciphertext verification failed.")
        #expect(BackupRepository.sentence("", "init", without: address) == "restic init failed: no reason given.")
    }
}
