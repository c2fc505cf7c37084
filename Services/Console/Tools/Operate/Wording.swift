/// The form in which the operator's commands are called: directly, or in a compose stack.
struct Wording: Equatable {
    let isStack: Bool

    /// Returns `furrow backup`, or the equivalent command for a compose stack.
    func call(_ words: String) -> String {
        guard isStack else { return "furrow \(words)" }
        switch words.prefix(while: { $0 != " " }) {
        case "logs": return "docker compose \(words)"
        case "backup", "restore": return "docker compose run --rm operator furrow \(words)"
        default: return "docker compose exec sync-gateway furrow \(words)"
        }
    }
}
