import Wire

extension Problem {
    /// The refusal of a slot that is asked for what slot 0 alone decides.
    static let notPrimary = Problem(421, "not-the-chief", "Ask slot 0 of this site.")
}
