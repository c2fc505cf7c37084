import EventSourcing
import Testing

@testable import Host

/// Acknowledgements that wait for the hub, and through it for a standby.
@Suite("Effects wait for the hub")
struct MirrorGateTests {
    /// The rule, which a broken gate must fail: nothing is sent before the hub has its events, and all of it in order.
    private func keepsRule(
        _ pass: ([(position: Position, effect: Effect)], _ mirrored: Position) -> [Effect]
    ) -> Bool {
        func take(_ new: [(String, Position)], _ mirrored: Position) -> [String] {
            pass(new.map { ($0.1, Effect.publish(topic: $0.0, name: "", data: [])) }, mirrored).compactMap {
                if case .publish(let topic, _, _) = $0 { topic } else { nil }
            }
        }
        guard take([("a", 5)], 4) == [], take([("b", 6), ("c", 6)], 4) == [], take([], 4) == [] else { return false }
        guard take([], 5) == ["a"], take([("d", 7)], 5) == [] else { return false }
        return take([], 6) == ["b", "c"] && take([("e", 8)], 9) == ["d", "e"]
    }

    @Test func `an effect is performed when the hub has its events, and in order`() {
        var gate = MirrorGate()
        #expect(keepsRule { gate.pass($0, mirrored: $1) })
        #expect(gate.count == 0)
    }

    @Test func `a gate that acknowledges before the hub has the event is noticed`() {
        #expect(!keepsRule { new, _ in new.map(\.effect) })
        var gate = MirrorGate()
        #expect(!keepsRule { gate.pass($0, mirrored: $1 + 1) })
    }
}
