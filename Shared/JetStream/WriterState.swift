import JSON
import Vocabulary

/// Who continues a journal, as a message of its stream.
///
/// A writer appends one before its first event. From then on no earlier writer can append, because each append names
/// the sequence number that it expects.
struct WriterState: JSONReadable, JSONRecord, Equatable {
    /// Whether the journal is in the cluster.
    enum Place: String {
        /// The writer continues it in the stream.
        case cluster
        /// The writer took it out of the cluster, and continues it in its file alone.
        case file
    }

    let place: Place
    /// A number that the writer drew when it opened the journal.
    let writer: String
    /// The name of its machine.
    let machine: String
    let time: Instant

    init(place: Place, writer: String, machine: String, time: Instant) {
        self.place = place
        self.writer = writer
        self.machine = machine
        self.time = time
    }

    init(json: borrowing JSONValue) throws(JSONError) {
        guard let place = Place(rawValue: try json.get("place")) else {
            throw JSONError(message: "expected cluster or file", path: "place")
        }
        self.init(
            place: place, writer: try json.get("writer"), machine: try json.get("machine"), time: try json.get("time"))
    }

    func write(fields json: inout JSONWriter) {
        json.field("place", place.rawValue)
        json.field("writer", writer)
        json.field("machine", machine)
        json.field("time", time)
    }
}
