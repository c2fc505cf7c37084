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
    /// Which of several it is about, such as a service; nil if there is one.
    let subject: String?
    let state: State
    let said: String
    /// What to do; nil if there is nothing to do.
    let advice: String?
    /// The number of days until a limit is reached, if it is known.
    let days: Int?

    init(
        _ check: String, _ state: State, _ said: String, of subject: String? = nil, do advice: String? = nil,
        days: Int? = nil
    ) {
        self.check = check
        self.subject = subject
        self.state = state
        self.said = said
        self.advice = advice
        self.days = days
    }

    /// Names the finding among all of one farm server: `backup`, `running trace-ledger/farm-0`.
    var name: String { subject.map { "\(check) \($0)" } ?? check }

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
