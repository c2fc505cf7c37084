import Radio

/// What a person has a coordinator do, request by request: form a network, read a backup, or restore one.
enum CoordinatorProcedure: Sendable {
    case forming(NetworkForming)
    case reading(NetworkReading)
    case restoring(NetworkRestoring)

    /// The seconds after which the request is sent again.
    var patience: Double {
        switch self {
        case .forming(let forming): forming.patience
        case .reading: 3
        case .restoring(let restoring): restoring.patience
        }
    }

    var failure: String? {
        switch self {
        case .forming(let forming): forming.failure
        case .reading(let reading): reading.failure
        case .restoring(let restoring): restoring.failure
        }
    }

    /// Returns the request to send now; nil if nothing is left to send.
    mutating func request() -> ZNPMessage? {
        switch self {
        case .forming(var forming):
            defer { self = .forming(forming) }
            return forming.request()
        case .reading(var reading):
            defer { self = .reading(reading) }
            return reading.request()
        case .restoring(var restoring):
            defer { self = .restoring(restoring) }
            return restoring.request()
        }
    }

    /// Takes a message of the coordinator. Returns whether the next request can be sent.
    mutating func receive(_ message: ZNPMessage) -> Bool {
        switch self {
        case .forming(var forming):
            defer { self = .forming(forming) }
            return forming.receive(message)
        case .reading(var reading):
            defer { self = .reading(reading) }
            return reading.receive(message)
        case .restoring(var restoring):
            defer { self = .restoring(restoring) }
            return restoring.receive(message)
        }
    }
}
