import EventSourcing
import Testing
import Vocabulary
import Wire

@testable import Console

/// A hub that was written anew is contradicted by what others have witnessed of it, however well its chain holds.
@Suite("A witness")
struct WitnessTests {
    private let epoch = Epoch(7)
    /// Where the hub asked, and was answered.
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

    /// What one walk through the hub leaves to hold the statements against, and the first that is not so.
    private func contradiction(of hub: [Entry], _ statements: [CheckpointWitnessed]) -> String? {
        var witness = Witness()
        for entry in hub where asked.contains(entry.position) { witness.add(entry) }
        return statements.lazy.compactMap {
            witness.contradiction(of: hub.last?.position ?? 0, in: epoch, by: "a/b-0", $0)
        }.first
    }

    @Test func `contradicts every entry before it that was rewritten, and a lost end`() {
        let texts = (1...60).map { "event \($0)" }
        let sound = hub(texts)
        let statements = asked.map { witnessed(sound, at: $0) }
        #expect(contradiction(of: sound, statements) == nil)
        var caught = 0
        for index in texts.indices {
            var others = texts
            others[index] = "another"
            let forged = hub(others)
            // The forger has made a chain that holds: without witnesses nothing is wrong.
            #expect(Chain.firstBreak(in: forged, after: Chain.start(feed: "hub", epoch: epoch), at: 0) == nil)
            #expect(contradiction(of: forged, []) == nil)
            let found = contradiction(of: forged, statements)
            // What came after the last statement nobody has witnessed yet.
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

    @Test func `contradicts a hub that has never asked for what was witnessed of it`() {
        let sound = hub((1...60).map { "event \($0)" })
        #expect(contradiction(of: sound, [witnessed(sound, at: 41)]) == "a/b-0 has witnessed another hub at 41")
    }

    @Test func `says nothing of a life that the operator has ended`() {
        let sound = hub((1...20).map { "event \($0)" })
        let earlier = witnessed(hub((1...20).map { "lost \($0)" }), at: 20, in: Epoch(6))
        #expect(contradiction(of: sound, [earlier]) == nil)
    }
}
