import Radio
import Vocabulary

/// A message of a broker outside a session.
package struct BrokerMessage {
    fileprivate let message: MQTTMessage

    package init(topic: String, payload: [UInt8]) {
        message = MQTTMessage(topic: topic, payload: payload)
    }
}

/// Maps messages of a broker to reports as the service does, without a connection and without storage.
package struct BrokerMessageReader {
    private var mapper = MessageMapper(topics: ["zigbee2mqtt/#"], keys: [:])

    package init() {}

    /// Returns the number of reports in `message`; 0 if it is not understood.
    package mutating func reports(in message: BrokerMessage) -> Int {
        do throws(Malformed) {
            let outcome = try mapper.map(message.message, at: Instant(microseconds: 0), known: { _ in nil })
            guard case .mapped(let mapped) = outcome else { return 0 }
            return mapped.decoded.reports.count
        } catch {
            return 0
        }
    }
}
