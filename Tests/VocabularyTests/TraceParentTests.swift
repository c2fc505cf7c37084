import Testing
import Vocabulary

@Suite("Trace contexts")
struct TraceParentTests {
    /// The example of W3C Trace Context, section 3.2.
    private static let example = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test func `a valid traceparent is read and written without a change`() {
        #expect(TraceParent(Self.example)?.description == Self.example)
    }

    @Test(arguments: [
        "", "00", "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0 ",
    ])
    func `a malformed traceparent is treated as absent`(text: String) {
        #expect(TraceParent(text) == nil)
    }
}
