import Wire

extension SensorCommandName {
    /// Whether every slot decides the command, and not slot 0 alone.
    var isForEverySlot: Bool { [.ingestAdverts, .ingestValues, .ingestCapture].contains(self) }
}

extension Problem {
    /// The refusal of a slot that is asked for what slot 0 alone decides.
    static let notPrimary = Problem(421, "not-the-chief", "Ask slot 0 of this site.")
}
