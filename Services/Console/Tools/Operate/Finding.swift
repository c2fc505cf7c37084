import JSON

/// A finding of the doctor about one subject, in the terms of a farm operator.
struct Finding: Equatable {
    enum State: String {
        case ok
        /// It works, but something must be done before long.
        case mind
        /// It does not work, or data may be lost.
        case act
    }

    /// One word that scripts can search for.
    let check: String
    let state: State
    let said: String
    /// What to do; nil if there is nothing to do.
    let advice: String?
    /// The number of days until a limit is reached, if it is known.
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
