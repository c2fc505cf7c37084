import Vocabulary

@testable import Radio
@testable import SensorIngest

/// What came of what was heard: told once, remembered, and the memory read again.
struct RadioMemory {
    private var filter = RepeatFilter()

    mutating func take(_ inputs: [RadioInput]) {
        for input in inputs { take(input.heard, at: input.at) }
    }

    mutating func take(_ heard: Heard, at time: Instant) {
        for report in heard.reports {
            precondition(report.readings.allSatisfy { $0.value.isFinite }, "a reading that is no number")
            _ = filter.admits(report, at: time)
            // What is late by more than it is remembered is judged by its name, which is the same again.
            guard let memory = filter[report.device], memory.latestMilliseconds <= time.microseconds / 1000 else {
                continue
            }
            precondition(!filter.admits(report, at: time), "told twice")
            precondition(RepeatMemory(text: memory.text) == memory, "what is remembered reads otherwise")
        }
        for raw in heard.raws { _ = filter.admits(raw, at: time) }
    }
}
