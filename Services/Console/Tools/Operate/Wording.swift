/// How the operator's commands are called where this one runs: as they are, or among containers.
struct Wording: Equatable {
    let isStack: Bool

    /// `furrow backup`, or what does the same for a stack of compose.
    func call(_ words: String) -> String {
        guard isStack else { return "furrow \(words)" }
        switch words.prefix(while: { $0 != " " }) {
        case "logs": return "docker compose \(words)"
        case "backup", "restore": return "docker compose run --rm operator furrow \(words)"
        default: return "docker compose exec sync-gateway furrow \(words)"
        }
    }
}
