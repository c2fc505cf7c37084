/// The problem responses of a route, for the API description.
extension Route {
    /// The statuses of all problems that the route can return.
    var problems: [Int] {
        var statuses: Set<Int> = [400, 503]
        if case .atLeast = access { statuses.formUnion([401, 403]) }
        if method.isMutation { statuses.formUnion([403, 413, 507]) }
        if isTable { statuses.insert(422) }
        if isMetered { statuses.insert(429) }
        if !path.parameters.isEmpty { statuses.insert(404) }
        switch takes {
        case .nothing: break
        case .json: statuses.insert(415)
        case .octets: statuses.formUnion([415, 422])
        case .deviceJSON: statuses.insert(422)
        case .picture: statuses.formUnion([415, 422, 507])
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
        case 400: "The request is not as described here; the detail names the member or parameter."
        case 401: "No person is signed in, or a gateway's token is missing, wrong or revoked."
        case 403: "The caller may not do this, or the request comes from a page of another site."
        case 404: "The thing does not exist."
        case 409: "The request contradicts the current state; the detail gives the reason."
        case 410: "The thing existed and was removed permanently."
        case 413: "The request is larger than the limit."
        case 415: "The media type is not supported."
        case 422: "The request is well-formed and cannot be executed; the detail gives the reason."
        case 425: "An event of another service may not have arrived yet; repeat the same request after Retry-After."
        case 429:
            "Too many attempts, requests without an account, or live streams from one address; repeat after "
                + "Retry-After."
        case 502: "The response of another service could not be read."
        case 503: "Overloaded, stopping, or a service is not available; repeat after Retry-After."
        case 504: "The service did not respond in time."
        case 507: "The disk or the quota of pictures is full; nothing new is stored."
        default: "What is wrong, and what to do."
        }
    }
}

extension Action {
    /// The statuses of the problems that the gateway itself returns.
    fileprivate var problems: Set<Int> {
        switch self {
        case .describe, .publisherKey, .sealingKey, .tellMe, .listAccounts, .listGateways, .listBeacons,
            .listDeviceKeys, .signOut,
            .live, .pull,
            .commandStatus,
            .operations,
            .listGivenUp, .listWebhooks, .listNotifications, .media, .present, .auditLog:
            []
        case .pullLive: [429]
        case .setUp: [409, 410, 422]
        case .signIn: [401]
        case .signUp: [401, 409, 422, 429]
        case .changePassword: [409, 422]
        case .setLanguage: [409]
        case .setNotificationHours: [409, 422]
        case .listSessions, .endSessions: [409]
        case .endSession, .removeOwnChannel, .testOwnChannel, .testWebhook: [404, 409]
        case .listOwnChannels, .subscribePush: [409]
        case .makeWebhook: [404, 409, 410, 422]
        case .removeWebhook: [404]
        case .requestReset: [429]
        case .resetPassword: [410, 422]
        case .enrol: [409, 410, 422]
        case .erase: [404, 409, 425]
        case .eraseMe: [404, 409]
        case .admitGateway: [409, 410]
        case .dismissGateway, .removeDeviceKey: [404]
        case .setDeviceKey: [409, 422]
        case .exportMe: [504]
        case .hearNotice: [404, 409, 422]
        case .push: []
        case .keepMedia: []
        case .takePhotograph, .takePhotographByToken: [401, 404, 409, 422, 502, 504]
        case .sendAdverts, .sendCapture, .sendValues: [409, 422, 502]
        case .uplink: [401, 409, 422, 502]
        case .reportHub: [401]
        case .reportByAddress: [401, 409, 422, 502, 507]
        case .passport: [404]
        case .ledgerKeys, .checkpoint, .tile: [404, 502, 504]
        case .shelves: [401, 403, 504]
        case .picks: [504]
        case .why: [404, 504]
        case .gorse: [404, 422, 504]
        case .labels: [409, 422, 504]
        case .stocktakeReport, .mailStocktakeReport: [404, 422, 504]
        }
    }
}
