/// What went wrong, for programs (`code`) and for people (`detail`). Never holds passwords, tokens or names of people.
public struct FarmClientError: Error, Equatable, Sendable {
    /// Kinds of trouble; more may come, so a `switch` needs a default.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// Nobody answers, or not the farm server: no network, a server in trouble, a foreign log-in page.
        public static let unreachable = Code(description: "unreachable")
        /// Somebody answers whose certificate is not trusted.
        public static let untrusted = Code(description: "untrusted")
        /// The farm server said no; `detail` says why, in its words.
        public static let refused = Code(description: "refused")
        /// Somebody has to sign in first, or again.
        public static let signInNeeded = Code(description: "sign-in-needed")
        /// There is nothing of this name, neither here nor there.
        public static let missing = Code(description: "missing")
        /// A check of a story failed; `reason` names it: `label-forged`.
        public static let notBelieved = Code(description: "not-believed")
        /// What was asked for cannot be: an address that is none, too much at once.
        public static let misuse = Code(description: "misuse")
        /// Another client has this folder open, here or in another process.
        public static let inUse = Code(description: "in-use")
        /// The device's own file cannot be read or written: full, damaged, or of a newer version.
        public static let store = Code(description: "store")
    }

    public let code: Code
    /// A sentence or two.
    public let detail: String
    /// Which check failed (`notBelieved`), or the name of the server's problem (`refused`).
    public let reason: String?

    init(_ code: Code, _ detail: String, reason: String? = nil) {
        self.code = code
        self.detail = detail
        self.reason = reason
    }
}

/// What a client waits for and keeps, and how much of it.
enum ClientLimits {
    /// Seconds for one answer.
    static let answerSeconds = 30.0
    /// Answers of one synchronisation; the next one goes on.
    static let pages = 50
    /// Promises that are sent in one synchronisation, and how many of them may stay without a clear answer.
    static let promisesAtOnce = 50
    static let unclear = 2
    /// Promises that wait on a device.
    static let pendingChanges = 1_000
    /// Pictures that are kept, and bytes of each.
    static let pictures = 400
    static let pictureBytes = 8 << 20
    /// Stories that are kept, the newest, and bytes of each.
    static let stories = 200
    static let storyBytes = 1 << 20
    /// Questions to the server under way at one time.
    static let threads = 8
    /// Pages of the file's log, after which they are moved into the file.
    static let logPages = 1_000
    /// How often a server is asked that will have the answer in a moment, and seconds between.
    static let tries = 4
    static let betweenTries = 1.0
    /// Seconds after which it is asked what is new, whether or not it said that there is something.
    static let quietSeconds = 45.0
    /// Seconds before a server that did not answer is asked again: at first, and at most.
    static let firstPause = 1.0
    static let longestPause = 60.0
}
