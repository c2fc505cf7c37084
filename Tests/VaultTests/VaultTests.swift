import EventStore
import Foundation
import SQLite
import TestKit
import Testing
import Vault
import Vocabulary

@Suite("Vault")
struct VaultTests {
    private let canary = "Canary-Frieda-Muster-0815"
    private let frieda = PersonID("person-1")

    /// Returns the names of the files in the folder that contain the text.
    private func places(of text: String, in folder: String) throws -> [String] {
        let needle = Data(text.utf8)
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
            try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)")).range(of: needle) != nil
        }
    }

    @Test func `a vault stores, finds, lists, replaces and deletes records`() throws {
        try withTemporaryDirectory { folder in
            let path = "\(folder)/\(Vault.fileName)"
            var vault: Vault? = try Vault(path: path)
            for number in 0..<10 {
                try vault?.put(kind: "account", id: "a\(number)", fields: [UInt8(number)], lookUp: "m\(number)@x")
            }
            try vault?.put(kind: "session", id: "a1", fields: [])
            try vault?.put(kind: "session", id: "a2", fields: [1])
            try vault?.put(kind: "account", id: "a3", fields: [33], lookUp: "new@x")
            vault = nil
            vault = try Vault(path: path)
            #expect(try vault?.get(kind: "account", id: "a3") == [33])
            #expect(try vault?.get(kind: "session", id: "a1") == [])
            #expect(try vault?.get(kind: "session", id: "a3") == nil)
            #expect(try vault?.find(kind: "account", lookUp: "m3@x") == nil)
            #expect(try vault?.find(kind: "account", lookUp: "new@x")?.id == "a3")
            #expect(try vault?.find(kind: "session", lookUp: "new@x") == nil)
            #expect(try vault?.all(kind: "account").map(\.id) == (0..<10).map { "a\($0)" })
            #expect(try vault?.all(kind: "account", after: "a7").map(\.id) == ["a8", "a9"])
            #expect(try vault?.delete(kind: "account", id: "a3") == true)
            #expect(try vault?.delete(kind: "account", id: "a3") == false)
            #expect(try vault?.find(kind: "account", lookUp: "new@x") == nil)
        }
    }

    @Test func `a vault refuses a second record with the same lookup key`() throws {
        try withTemporaryDirectory { folder in
            let vault = try Vault(path: "\(folder)/vault.db")
            try vault.put(kind: "account", id: "a", fields: [1], lookUp: "x")
            #expect(throws: VaultError.taken) { try vault.put(kind: "account", id: "b", fields: [2], lookUp: "x") }
            #expect(try vault.get(kind: "account", id: "b") == nil)
            #expect(try vault.get(kind: "account", id: "a") == [1])
            try vault.put(kind: "account", id: "a", fields: [3], lookUp: "x")
            try vault.put(kind: "other", id: "b", fields: [2], lookUp: "x")
            #expect(throws: VaultError.tooLarge(bytes: VaultLimits.recordBytes + 1)) {
                try vault.put(kind: "k", id: "i", fields: Array(repeating: 0, count: VaultLimits.recordBytes + 1))
            }
            #expect(throws: VaultError.tooLarge(bytes: 1100)) {
                try vault.put(kind: "k", id: String(repeating: "i", count: 1100), fields: [])
            }
        }
    }

    @Test func `the files of a vault are readable by their owner only`() throws {
        try withTemporaryDirectory { folder in
            let vault = try Vault(path: "\(folder)/vault.db")
            try vault.put(kind: "k", id: "i", fields: [1])
            var checked = 0
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                let mode = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")[.posixPermissions]
                #expect(mode as? Int == 0o600, "\(name)")
                checked += 1
            }
            print("checked \(checked) files")
            #expect(checked >= 2)
        }
    }

    @Test(arguments: [20, 3_000, 50_000])
    func `deleting, replacing or erasing a record leaves none of its bytes in the files`(size: Int) throws {
        try withTemporaryDirectory { folder in
            let vault = try Vault(path: "\(folder)/vault.db")
            let padding = String(repeating: ".", count: size)
            for number in 0..<30 {
                try vault.put(kind: "other", id: "o\(number)", fields: Array("\(padding)\(number)".utf8))
            }
            let text = canary + padding + canary
            #expect(try places(of: canary, in: folder).isEmpty)
            for way in ["delete", "replace", "erase"] {
                try vault.put(
                    kind: "contact", id: canary + way, fields: Array(text.utf8), lookUp: canary + "@x", person: frieda)
                #expect(try !places(of: canary, in: folder).isEmpty)
                switch way {
                case "delete": try vault.delete(kind: "contact", id: canary + way)
                case "replace":
                    try vault.put(kind: "contact", id: canary + way, fields: [], lookUp: "y")
                    try vault.delete(kind: "contact", id: canary + way)
                default: try vault.erase(person: frieda)
                }
                #expect(try places(of: canary, in: folder).isEmpty, "after \(way)")
            }
            #expect(try vault.all(kind: "other").count == 30)
        }
    }

    @Test func `idling removes erased bytes that an open reader had kept in the WAL`() throws {
        try withTemporaryDirectory { folder in
            let vault = try Vault(path: "\(folder)/vault.db")
            try vault.put(kind: "contact", id: "c", fields: Array(canary.utf8), person: frieda)
            do {
                let reader = try Database(path: "\(folder)/vault.db", mode: .reader)
                let statement = try reader.prepare("SELECT fields FROM record")
                #expect(try statement.step())
                try vault.erase(person: frieda)
                #expect(try vault.get(kind: "contact", id: "c") == nil)
                #expect(try !places(of: canary, in: folder).isEmpty)
            }
            try vault.idle()
            #expect(try places(of: canary, in: folder).isEmpty)
        }
    }

    @Test func `a sealed field can be opened until its person is erased`() throws {
        try withTemporaryDirectory { folder in
            let path = "\(folder)/vault.db"
            var vault: Vault? = try Vault(path: path)
            let field = Array(canary.utf8)
            let sealed = try #require(try vault?.seal(person: frieda, field, context: "address"))
            #expect(sealed.count == field.count + 28)
            #expect(try vault?.seal(person: frieda, field, context: "address") != sealed)
            let other = PersonID("person-2")
            _ = try vault?.seal(person: other, [1], context: "address")
            vault = nil
            vault = try Vault(path: path)
            #expect(try vault?.open(person: frieda, sealed, context: "address") == field)
            #expect(throws: VaultError.unreadable) {
                _ = try vault?.open(person: frieda, sealed, context: "telephone")
            }
            #expect(throws: VaultError.unreadable) { _ = try vault?.open(person: other, sealed, context: "address") }
            #expect(throws: VaultError.unreadable) { _ = try vault?.open(person: frieda, [1, 2], context: "address") }
            try vault?.put(kind: "contact", id: "c1", fields: field, person: frieda)
            try vault?.put(kind: "contact", id: "c2", fields: field, person: other)
            try vault?.erase(person: frieda)
            try vault?.erase(person: frieda)
            #expect(try vault?.isErased(frieda) == true)
            #expect(try vault?.open(person: frieda, sealed, context: "address") == nil)
            #expect(try vault?.get(kind: "contact", id: "c1") == nil)
            #expect(try vault?.get(kind: "contact", id: "c2") == field)
            #expect(throws: VaultError.erased) { _ = try vault?.seal(person: frieda, [1], context: "address") }
            #expect(throws: VaultError.erased) {
                try vault?.put(kind: "contact", id: "c3", fields: [], person: frieda)
            }
            #expect(try vault?.isErased(other) == false)
        }
    }
}

@Suite("Media")
struct MediaTests {
    @Test func `media are stored and found by their hash`() throws {
        try withTemporaryDirectory { folder in
            let media = try Media(folder: "\(folder)/media")
            var random = SplitMix64(seed: 1)
            for size in [0, 1, 1_000, 300_000] {
                let bytes = random.bytes(size)
                let name = try media.put(bytes)
                #expect(try media.put(bytes) == name)
                #expect(try media.get(name) == bytes)
                #expect(try Media(folder: "\(folder)/media").get(name) == bytes)
            }
            #expect(try media.put([]) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
            let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/media")
            #expect(names.count == 4)
        }
    }

    @Test func `a damaged medium is reported and repaired by storing it again`() throws {
        try withTemporaryDirectory { folder in
            let media = try Media(folder: folder)
            let name = try media.put([1, 2, 3])
            try Data([1, 2, 4]).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
            #expect(throws: MediaError.damaged) { _ = try media.get(name) }
            #expect(try media.put([1, 2, 3]) == name)
            #expect(try media.get(name) == [1, 2, 3])
            try media.remove(name)
            try media.remove(name)
            #expect(try media.get(name) == nil)
            for wrong in ["", "../secret", name.uppercased(), name + "0", String(name.dropLast()) + "/"] {
                #expect(throws: MediaError.noName) { _ = try media.get(wrong) }
                #expect(throws: MediaError.noName) { try media.remove(wrong) }
            }
            let large = [UInt8](repeating: 0, count: VaultLimits.mediaBytes + 1)
            #expect(throws: MediaError.tooLarge(bytes: large.count)) { _ = try media.put(large) }
        }
    }
}
