import EventSourcing
import Events
import Vocabulary

/// What led to the events of one step. An auditor finds by it everything that one request brought about, in whichever
/// journals: all of it bears the same correlation.
enum Causation {
    /// A request, with the name that its events share.
    case request(UUID, TraceParent?)
    /// Events that were heard; which of them, the draft says where there are several.
    case news([RecordedEvent])
    /// A clock, a radio, finished work.
    case nobody

    init(_ input: Input) {
        switch input {
        case .asked(let ask):
            self = .request(UUID(bytes: ask.entropy).marked(version: 4), ask.trace)
        case .requested(let web): self = .request(UUID(bytes: web.entropy).marked(version: 4), web.trace)
        case .heard(_, let events): self = .news(events)
        case .opened, .received, .answered, .finished, .ticked: self = .nobody
        }
    }

    /// What a draft says of its causes itself stays.
    func mark(_ drafts: [Draft]) -> [Draft] {
        switch self {
        case .nobody: drafts
        case .request(let name, let trace):
            drafts.map { draft in
                var draft = draft
                draft.correlation = draft.correlation ?? name
                draft.trace = draft.trace ?? trace
                return draft
            }
        case .news(let events): drafts.map { draft in marked(draft, by: events) }
        }
    }

    private func marked(_ draft: Draft, by events: [RecordedEvent]) -> Draft {
        var draft = draft
        if draft.causation == nil, events.count == 1 { draft.causation = events[0].envelope.id }
        guard let cause = events.first(where: { $0.envelope.id == draft.causation })?.envelope else { return draft }
        draft.correlation = draft.correlation ?? cause.correlation ?? cause.id
        draft.trace = draft.trace ?? cause.trace
        return draft
    }
}
