/// Why a story or label failed verification; the raw value is a constant name for programs.
enum VerificationFailure: String, Error, CaseIterable {
    case labelMalformed = "label-malformed"
    case labelKeyUnknown = "label-key-unknown"
    case labelKeyRevoked = "label-key-revoked"
    case labelForged = "label-forged"
    case entryMalformed = "entry-malformed"
    case storyAltered = "story-altered"
    case storyUnreadable = "story-unreadable"
    case storyOfSomethingElse = "story-of-something-else"
    case storyOfAnotherLot = "story-of-another-lot"
    case storyOlder = "story-older"
    case checkpointMalformed = "checkpoint-malformed"
    case checkpointUnsigned = "checkpoint-unsigned"
    case checkpointForged = "checkpoint-forged"
    case checkpointOfAnotherLog = "checkpoint-of-another-log"
    case notInLog = "not-in-log"
    case logShorter = "log-shorter"
    case logRewritten = "log-rewritten"
    case keysChanged = "keys-changed"
    case keysMalformed = "keys-malformed"

    /// The message for people.
    var sentence: String {
        switch self {
        case .labelMalformed: "This is not the address of a complete label."
        case .labelKeyUnknown: "This label was signed with a key that the farm does not have."
        case .labelKeyRevoked: "The farm has withdrawn the key that this label was signed with."
        case .labelForged:
            "The signature on this label is wrong: the farm did not make it, or somebody has changed it since."
        case .entryMalformed: "The entry of this story in the farm's log is damaged."
        case .storyAltered: "The story that was sent is not the one that stands in the farm's log."
        case .storyUnreadable: "The story in the farm's log cannot be read."
        case .storyOfSomethingElse: "What was sent is not the story of a lot."
        case .storyOfAnotherLot: "What was sent is the story of another lot than the one on the label."
        case .storyOlder: "The story that was sent is older than the one this device has seen before."
        case .checkpointMalformed: "The head of the farm's log is damaged."
        case .checkpointUnsigned: "The head of the farm's log does not carry the farm's signature."
        case .checkpointForged: "The signature under the farm's log is wrong."
        case .checkpointOfAnotherLog: "What was sent belongs to the log of somebody else."
        case .notInLog: "The story that was sent does not stand in the farm's log."
        case .logShorter: "The farm's log has lost entries that were there at an earlier visit."
        case .logRewritten: "The farm's log is not the one this device has seen: what was recorded before was changed."
        case .keysChanged: "The server shows other keys than those this device has kept since its first visit."
        case .keysMalformed: "The farm's keys cannot be read."
        }
    }
}

extension FarmClientError {
    init(_ failure: VerificationFailure) {
        self.init(.notBelieved, failure.sentence, reason: failure.rawValue)
    }
}
