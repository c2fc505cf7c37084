/// The problem responses of a route, for the API description.
extension Route {
    /// The statuses of all problems that the route can return.
    var problems: [Int] {
        var statuses: Set<Int> = [400, 503]
        if case .atLeast = access { statuses.formUnion([401, 403]) }
        if method.isMutation { statuses.formUnion([403, 413, 507]) }
        if isMetered { statuses.insert(429) }
        if !path.parameters.isEmpty { statuses.insert(404) }
        switch takes {
        case .nothing: break
        case .json: statuses.insert(415)
        case .octets: statuses.formUnion([415, 422])
        }
        switch duty {
        case .command: statuses.formUnion([404, 409, 422, 425])
        case .query: statuses.formUnion([404, 409, 504])
        case .own(let action): statuses.formUnion(action.problems)
        }
        return statuses.sorted()
    }

    /// Returns the meaning of a status, for people.
    static func meaning(of status: Int) -> String {
        switch status {
        case 400: "Not as described here; the detail says which member or parameter."
        case 401: "Nobody is signed in."
        case 403: "Whoever asks may not do this, or asks from a page of another site."
        case 404: "What it is about is not there."
        case 409: "It does not fit how things stand; the detail says why."
        case 410: "It was there and is gone for good."
        case 413: "More at once than is taken."
        case 415: "Another media type is expected."
        case 422: "Well-formed, but it cannot be so; the detail says why."
        case 425: "An event of another service may not be here yet; send the same request again after Retry-After."
        case 429:
            "Too many tries, or too many requests without an account or live streams of one address; Retry-After says "
                + "when again."
        case 502: "Another service answered in a way nobody understands."
        case 503: "Too busy, stopping, or a part is away; Retry-After says when again."
        case 504: "The service that knows did not answer in time."
        case 507: "The disk, or the room for pictures, is full; nothing new is taken."
        default: "What is wrong, and what to do."
        }
    }
}

extension Action {
    /// The statuses of the problems that the gateway itself returns.
    fileprivate var problems: Set<Int> {
        switch self {
        case .describe, .tellMe, .listAccounts, .listGateways, .signOut, .live, .pull, .commandStatus, .operations,
            .listGivenUp, .media, .present, .auditLog:
            []
        case .pullLive: [429]
        case .setUp: [409, 410, 422]
        case .signIn: [401]
        case .signUp: [401, 409, 422, 429]
        case .changePassword: [409, 422]
        case .listSessions, .endSessions: [409]
        case .endSession: [404, 409]
        case .requestReset: [429]
        case .resetPassword: [410, 422]
        case .enrol: [409, 410, 422]
        case .erase: [404, 409, 425]
        case .eraseMe: [404, 409]
        case .admitGateway: [409, 410]
        case .dismissGateway: [404]
        case .exportMe: [504]
        case .hearNotice: [404, 409, 422]
        case .push: []
        case .keepMedia: []
        case .sendAdverts, .sendCapture: [409, 422, 502]
        case .passport: [404]
        case .ledgerKeys, .checkpoint, .tile: [404, 502, 504]
        case .shelves: [401, 403, 504]
        case .labels: [409, 422, 504]
        }
    }
}
