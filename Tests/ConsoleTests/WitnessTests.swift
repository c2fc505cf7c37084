import EventSourcing
import Testing
import Vocabulary
import Wire

@testable import Console

/// A rewritten hub is contradicted by witness statements of other journals, even if its chain is valid.
@Suite("Witness statements")
struct WitnessTests {
    private let epoch = Epoch(7)
    /// The positions at which the hub requested a witness.
    private let asked: [Position] = [10, 40]

    private func hub(_ texts: [String]) -> [Entry] {
        var hash = Chain.start(feed: "hub", epoch: epoch)
        return texts.enumerated().map { index, text in
            hash = Chain.next(after: hash, Array(text.utf8))
            return Entry(position: Position(index + 1), hash: hash, bytes: Array(text.utf8))
        }
    }

    private func witnessed(_ hub: [Entry], at position: Position, in epoch: Epoch? = nil) -> CheckpointWitnessed {
        CheckpointWitnessed(
            feed: "hub", epoch: epoch ?? self.epoch, position: position,
            hash: Hex.encode(hub[Int(position - 1)].hash), checkpoint: "note")
    }

    /// Returns the first contradiction between a hub and the statements.
    ///
    /// - Parameter restored: the positions at which the hub recorded a restore, with the new epochs.
    private func contradiction(
        of hub: [Entry], _ statements: [CheckpointWitnessed], in now: Epoch? = nil,
        restored: [(place: Position, epoch: Epoch)] = []
    ) -> String? {
        var witness = Witness()
        for entry in hub where asked.contains(entry.position) { witness.add(entry) }
        for (place, epoch) in restored { witness.restored(at: place, in: epoch) }
        return statements.lazy.compactMap {
            witness.contradiction(of: hub.last?.position ?? 0, in: now ?? epoch, by: "a/b-0", $0)
        }.first
    }

    @Test func `a witness statement contradicts a hub with a rewritten earlier entry or a lost end`() {
        let texts = (1...60).map { "event \($0)" }
        let sound = hub(texts)
        let statements = asked.map { witnessed(sound, at: $0) }
        #expect(contradiction(of: sound, statements) == nil)
        var caught = 0
        for index in texts.indices {
            var others = texts
            others[index] = "another"
            let forged = hub(others)
            // The forged chain is valid: without statements no error is found.
            #expect(Chain.firstBreak(in: forged, after: Chain.start(feed: "hub", epoch: epoch), at: 0) == nil)
            #expect(contradiction(of: forged, []) == nil)
            let found = contradiction(of: forged, statements)
            // Entries after the last statement have no witness yet.
            #expect((found != nil) == (index < 40))
            if found != nil { caught += 1 }
        }
        for count in 0..<60 {
            let found = contradiction(of: Array(sound.prefix(count)), statements)
            #expect((found != nil) == (count < 40))
            if found != nil { caught += 1 }
        }
        print("witness: \(caught) rewritten or cut hubs contradicted")
        #expect(caught == 80)
    }

    @Test func `a statement about a position without a witness request contradicts the hub`() {
        let sound = hub((1...60).map { "event \($0)" })
        #expect(contradiction(of: sound, [witnessed(sound, at: 41)]) == "a/b-0 has witnessed another hub at 41")
    }

    @Test func `a statement of an earlier epoch is checked unless a restore was recorded`() {
        let texts = (1...60).map { "event \($0)" }
        let forged = hub(["another"] + texts.dropFirst())
        let statements = asked.map { witnessed(hub(texts), at: $0) }
        // A changed epoch number does not invalidate earlier statements.
        #expect(contradiction(of: forged, statements, in: Epoch(8)) == "a/b-0 has witnessed another hub at 10")
        #expect(contradiction(of: hub(texts), statements, in: Epoch(8)) == nil)
    }

    @Test func `a restore invalidates statements about the lost part of the hub only`() {
        let sound = hub((1...60).map { "event \($0)" })
        // It was restored to 20, and records that at 21.
        let restored = [(Position(21), Epoch(8))]
        let now = hub((1...20).map { "event \($0)" } + (21...60).map { "after \($0)" })
        let (kept, lost) = (witnessed(sound, at: 10), witnessed(sound, at: 40))
        #expect(contradiction(of: now, [kept, lost], in: Epoch(8), restored: restored) == nil)
        // The mutant: a hub that does not record its restore.
        #expect(contradiction(of: now, [kept, lost], in: Epoch(8)) == "a/b-0 has witnessed another hub at 40")
        // Neither the retained nor the later entries may be rewritten.
        let forged = hub(["another"] + (2...20).map { "event \($0)" } + (21...60).map { "after \($0)" })
        #expect(
            contradiction(of: forged, [kept], in: Epoch(8), restored: restored)
                == "a/b-0 has witnessed another hub at 10")
        let since = witnessed(now, at: 40, in: Epoch(8))
        #expect(contradiction(of: now, [since], in: Epoch(8), restored: restored) == nil)
        #expect(
            contradiction(of: forged, [since], in: Epoch(9), restored: restored)
                == "a/b-0 has witnessed another hub at 40")
        // A second restore invalidates statements about entries since the first.
        let twice = restored + [(Position(31), Epoch(9))]
        #expect(contradiction(of: forged, [since], in: Epoch(9), restored: twice) == nil)
    }
}
