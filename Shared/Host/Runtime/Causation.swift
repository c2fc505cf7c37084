import EventSourcing
import Events
import Vocabulary

/// The cause of the events of one step. All events that one request caused, in any journal, carry the same correlation.
/// An auditor finds them by it.
enum Causation {
    /// A request, with the correlation that its events share.
    case request(UUID, TraceParent?)
    /// Foreign events; if there are several, each draft names its own cause.
    case foreignEvents([RecordedEvent])
    /// A tick, bytes of a source or finished work, which have no recorded cause.
    case unrecorded

    init(_ input: Input) {
        switch input {
        case .asked(let ask):
            self = .request(UUID(bytes: ask.entropy).marked(version: 4), ask.trace)
        case .requested(let web): self = .request(UUID(bytes: web.entropy).marked(version: 4), web.trace)
        case .heard(_, let events): self = .foreignEvents(events)
        case .opened, .received, .answered, .finished, .ticked: self = .unrecorded
        }
    }

    /// Returns the drafts with causation, correlation and trace added where a draft has none.
    func mark(_ drafts: [Draft]) -> [Draft] {
        switch self {
        case .unrecorded: drafts
        case .request(let name, let trace):
            drafts.map { draft in
                var draft = draft
                draft.correlation = draft.correlation ?? name
                draft.trace = draft.trace ?? trace
                return draft
            }
        case .foreignEvents(let events): drafts.map { draft in marked(draft, by: events) }
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
