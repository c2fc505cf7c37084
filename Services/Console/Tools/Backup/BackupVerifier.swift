import EventSourcing
import EventStore
import HubStore
import System
import Vault

/// Checks one part of a backup without changing anything: first every byte against the manifest, then the content.
struct BackupVerifier {
    let folder: String
    let manifest: Manifest

    init(_ folder: String) throws {
        self.folder = folder
        manifest = try Manifest(in: folder)
    }

    /// Throws ``Damage`` at the first place that differs, and `Refusal` for content that can never have been valid.
    func run() throws {
        for file in manifest.files { try file.sum.check("\(folder)/\(file.path)", as: file.path) }
        switch manifest.part {
        case .facts:
            for journal in manifest.journals { try follow(journal) }
            try followHub()
        case .vault:
            for file in manifest.files {
                let findings = try Vault.findings(in: "\(folder)/\(file.path)")
                if let finding = findings.first { throw Refusal("The vault \(file.path) is damaged: \(finding)") }
            }
        }
    }

    private func follow(_ journal: Manifest.Journal) throws {
        let head: Head
        do throws(LogFailure) {
            head = try SQLiteReader(path: "\(folder)/\(journal.file)").followChain()
        } catch {
            throw Refusal("The journal of \(journal.head.feed) is not intact: \(error.message). See: furrow audit")
        }
        guard head == journal.head else {
            throw Refusal("The journal of \(journal.head.feed) is not the one that the manifest names.")
        }
    }

    private func followHub() throws {
        guard let hub = manifest.hub else { throw Refusal("The backup has no hub.") }
        let files = HubTableFiles.files(of: "entry", in: manifest)
        guard !files.isEmpty else { throw Refusal("The backup has no \(HubTableFiles.name(of: "entry", 0)).") }
        var chain = HubDumpChain(after: hub.start)
        do {
            for file in files {
                try file.sum.check("\(folder)/\(file.path)", as: file.path) { block in try chain.take(block) }
            }
            try chain.end(at: hub.head)
        } catch let failure as LogFailure {
            throw Refusal("The hub is not intact: \(failure.message). See: furrow audit")
        }
    }
}
