import EventSourcing
import Events
import Testing
import Wire

/// A writer projects the value that it writes. So what is read must be equal to it.
@Suite("Payloads of events")
struct PayloadTests {
    @Test func `an event that is written and read is the payload that its writer projects`() throws {
        var checked = 0
        for example in Examples.all {
            guard let declared = example as? any DeclaredEvent else {
                #expect(example is JournalPruned, "\(type(of: example)) is read back although it checks nothing")
                continue
            }
            let envelope = Examples.envelope(of: example)
            let read = try RecordedEvent(reading: EnvelopeCodec.write(envelope, example))
            #expect(String(describing: read.fact) == String(describing: declared.eventPayload))
            #expect(read.envelope == envelope)
            checked += 1
        }
        print("events: \(checked) payloads equal to what is read")
        #expect(checked >= RecordedEvent.names.count - 1)
    }
}
