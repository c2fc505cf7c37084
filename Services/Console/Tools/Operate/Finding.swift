import JSON

/// What the doctor found out about one thing, in the words of somebody who runs a farm.
struct Finding: Equatable {
    enum State: String {
        case ok
        /// It works, and will not for ever.
        case mind
        /// It does not work, or something may be lost.
        case act
    }

    /// One word that scripts can look for.
    let check: String
    let state: State
    let said: String
    /// What to do; nil where nothing is to do.
    let advice: String?
    /// For how many days it is good yet, where that can be told.
    let days: Int?

    init(_ check: String, _ state: State, _ said: String, do advice: String? = nil, days: Int? = nil) {
        self.check = check
        self.state = state
        self.said = said
        self.advice = advice
        self.days = days
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("check", check)
            json.field("state", state.rawValue)
            json.field("said", said)
            json.field("advice", ifPresent: advice)
            json.field("days", ifPresent: days)
        }
    }
}
