/// What a page shows: computed from the data on the device (the model), and observed by the view that draws it.
///
/// Views read its properties; `follow` keeps them as the data is, with or without a network. A page starts it in a task
/// and cancels that task when it closes:
/// ```
/// let catalog = CatalogModel(farm)
/// let following = Task { await catalog.follow() }
/// ```
@MainActor
public protocol ViewModel: AnyObject {
    /// The client whose data it shows.
    var farm: FarmClient { get }
    /// Reads the data again.
    ///
    /// - Throws: `store`.
    func update() async throws(FarmClientError)
    /// The error of the last reading or change, with a sentence for people; nil if it succeeded.
    var lastError: FarmClientError? { get set }
}

extension ViewModel {
    /// Reads the data now, and again after each change, until the task is cancelled or the client is gone.
    public func follow() async {
        // From before the first reading, so that no change is missed.
        let changes = farm.changes()
        await refresh()
        for await _ in changes { await refresh() }
    }

    /// Reads the data again; an error becomes `lastError`.
    public func refresh() async {
        do throws(FarmClientError) {
            try await update()
            lastError = nil
        } catch {
            lastError = error
        }
    }

    /// Returns the catalogue, read on another thread.
    func catalog() async throws(FarmClientError) -> ShopCatalog {
        let farm = farm
        return try await farm.calls.apart { () throws(FarmClientError) in try ShopCatalog(farm, at: now()) }
    }
}
