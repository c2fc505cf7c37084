public import Observation

/// The page of a scanned box: its story, once every check has passed.
@MainActor
@Observable
public final class StoryModel {
    /// What the page shows.
    public enum State: Sendable {
        /// No code was scanned yet.
        case empty
        /// The story is fetched and checked.
        case checking
        /// Every check has passed.
        case verified(Story)
        /// There is no story, or a check failed: then nothing of it may be shown.
        case failed(FarmClientError)
    }

    public let farm: FarmClient
    public private(set) var state = State.empty
    private var latest = 0

    public init(_ farm: FarmClient) { self.farm = farm }

    /// Fetches and checks the story of a scanned link. Of several codes, the one scanned last is shown.
    public func open(_ link: String) async {
        latest += 1
        let own = latest
        state = .checking
        let outcome: State
        do throws(FarmClientError) {
            outcome = .verified(try await farm.story(of: link))
        } catch {
            outcome = .failed(error)
        }
        if own == latest { state = outcome }
    }
}
