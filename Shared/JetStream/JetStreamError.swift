import EventSourcing
import NATS
import Vocabulary

/// Why a request to the cluster failed.
enum JetStreamError: Error, Equatable {
    /// No reply came, or no server leads the stream at this time. It is unknown whether the request had an effect.
    case unreachable(String)
    /// The cluster refused the request, with its error code.
    case refused(code: Int, String)

    init(_ error: NATSError) {
        self = error.kind == .other ? .refused(code: 0, error.description) : .unreachable(error.description)
    }

    /// The failure of an operation on a journal.
    func failure(_ operation: String) -> LogFailure {
        switch self {
        case .unreachable(let reason):
            LogFailure(operation: operation, message: "the cluster does not answer (\(reason))", isAway: true)
        case .refused(let code, let reason):
            LogFailure(operation: operation, message: "the cluster refused it: \(reason) (\(code))")
        }
    }

    /// The codes on which the caller decides.
    enum Code {
        /// There is no such stream.
        static let noStream = 10_059
        /// There is no message at this sequence number, or of this subject.
        static let noMessage = 10_037
        /// Another message came before this one.
        static let wrongLastSequence = 10_071
        /// Too few servers are known that could store the stream; so also shortly after all of them have started.
        static let noPeers = 10_005
        /// A message of the batch was stored already.
        static let duplicateInBatch = 10_201
    }
}
