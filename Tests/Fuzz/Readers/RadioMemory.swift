import Vocabulary

@testable import Radio
@testable import SensorIngest

/// Passes decoded input to the repeat filter: each report is admitted once, and its window can be read back.
struct RadioMemory {
    private var filter = RepeatFilter()

    mutating func take(_ inputs: [RadioInput]) {
        for input in inputs { take(input.decoded, at: input.at) }
    }

    mutating func take(_ decoded: DecodedInput, at time: Instant) {
        for report in decoded.reports {
            precondition(report.readings.allSatisfy { $0.value.isFinite }, "a reading that is no number")
            _ = filter.admits(report, at: time)
            precondition(!filter.admits(report, at: time), "a report is recorded twice")
            let number = RepeatFilter.number(of: time)
            guard let window = filter.window(number, of: report.device) else { continue }
            precondition(ReportWindow(text: window.text) == window, "reading gives another window")
        }
        for raw in decoded.raws { _ = filter.admits(raw, at: time) }
    }
}
