/// The names of the recommender's queries.
public enum RecommenderQueryName: String, RequestName {
    public static let service = "recommender"

    case shelves
    /// A person's picks of a day. The first query of a day chooses them, and an event records the choice.
    case picks
    case picksOutcomes = "picks-outcomes"
    /// Why a product is suggested to a person.
    case why
    /// A call of the interface of Gorse, which may also record feedback.
    case gorse
    /// All data that the recommender stores about the caller.
    case export
}
