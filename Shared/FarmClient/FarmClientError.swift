/// An error, for programs (`code`) and for people (`detail`); contains no passwords, tokens or names of people.
public struct FarmClientError: Error, Equatable, Sendable {
    /// The kind of an error; more may be added, so a `switch` needs a default.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name: `unreachable`.
        public let description: String

        /// No response, or not from a farm server: no network, a server error, a captive network's log-in page.
        public static let unreachable = Code(description: "unreachable")
        /// The server's certificate is not trusted.
        public static let untrusted = Code(description: "untrusted")
        /// The farm server refused the request; `detail` is its reason.
        public static let refused = Code(description: "refused")
        /// The user has to sign in, for the first time or again.
        public static let signInNeeded = Code(description: "sign-in-needed")
        /// There is nothing of this name, neither on the device nor on the server.
        public static let missing = Code(description: "missing")
        /// A check of a story failed; `reason` names it: `label-forged`.
        public static let notBelieved = Code(description: "not-believed")
        /// The request is invalid: a malformed address, too much at once.
        public static let misuse = Code(description: "misuse")
        /// Another client has this folder open, here or in another process.
        public static let inUse = Code(description: "in-use")
        /// The device's own file cannot be read or written: full, damaged, or of a newer version.
        public static let store = Code(description: "store")
    }

    /// The kind of the error.
    public let code: Code
    /// A sentence or two for people.
    public let detail: String
    /// The check that failed (`notBelieved`), or the title of the server's problem (`refused`).
    public let reason: String?

    init(_ code: Code, _ detail: String, reason: String? = nil) {
        self.code = code
        self.detail = detail
        self.reason = reason
    }
}

/// The limits of a client.
enum ClientLimits {
    /// Seconds to wait for a response.
    static let answerSeconds = 30.0
    /// Responses of one synchronisation; the next one continues.
    static let pages = 50
    /// Lines of a cart, as the market's.
    static let cartLines = 50
    /// Pending changes sent in one synchronisation, and how many of them may be without a clear response.
    static let promisesAtOnce = 50
    static let unclear = 2
    /// Pending changes on a device.
    static let pendingChanges = 1_000
    /// Stored pictures, and bytes of each.
    static let pictures = 400
    static let pictureBytes = 8 << 20
    /// Bytes of the pictures in memory.
    static let memoryBytes = 4 << 20
    /// Stored stories, the newest ones, and bytes of each.
    static let stories = 200
    static let storyBytes = 1 << 20
    /// Simultaneous requests to the server.
    static let threads = 8
    /// Bytes of what is stored for others, and of one response of another.
    static let shareBytes = 64 << 20
    static let sharedBytes = 16 << 20
    /// Seconds to wait for the farm's public content if others in the network may have it, and for a node's.
    static let sharingSeconds = 10.0
    static let nodeSeconds = 12.0
    /// Watched regions of beacons, and the seconds without a beacon after which one is left.
    static let regions = 100
    static let regionSeconds = 30.0
    /// Promotions whose showings are remembered.
    static let showings = 200
    /// Seconds after which the public records are fetched again for others.
    static let snapshotSeconds = 900
    /// Connections of others at one time, and seconds between two looks for others.
    static let sharedConnections = 64
    static let discoverySeconds = 0.5
    /// Pages of the database's WAL after which it is moved into the database.
    static let logPages = 1_000
    /// Attempts at a request whose response is not ready yet (503), and the seconds between them.
    static let tries = 4
    static let betweenTries = 1.0
    /// Seconds after which the client pulls without a notification of the server.
    static let quietSeconds = 45.0
    /// Seconds before a failed synchronisation is retried: at first, and at most.
    static let firstPause = 1.0
    static let longestPause = 60.0
}
