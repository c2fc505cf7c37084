import Vocabulary

/// The source of unique names for the reports of one device in one journal. No receiver's clock is part of a name.
///
/// A device epoch begins with the device's first report, and whenever its newest report has a lower counter than the
/// one before (a new battery, a restart, a wrapped counter). A long counter that is higher than all before it in its
/// epoch names the report together with the epoch. Every other report (a short counter, none, a late one) gets a
/// running number.
struct ReportNames: Equatable {
    var epoch: Int64 = 0
    /// The last running number; epochs are numbered from the same sequence.
    var used: Int64 = 0
    /// The highest counter of the current epoch.
    var highest: UInt64?

    /// Returns the part that makes the next report's name unique, besides device, counter and payload.
    mutating func next(_ counter: UInt64?, isNewest: Bool, slot: Int) -> String {
        if let counter {
            if highest.map({ counter > $0 }) ?? true {
                highest = counter
                return "\(epoch)"
            }
            if isNewest {
                used += 1
                (epoch, highest) = (used, counter)
                return "\(epoch)"
            }
        }
        used += 1
        return "\(epoch).\(slot).\(used)"
    }

    /// Continues behind the names of pruned reports, which are no longer known.
    ///
    /// Afterwards names are the same whether counted over all reports or over the retained ones. A running number taken
    /// from the time in milliseconds exceeds the number of reports in any journal.
    mutating func skip(to recorded: Instant) {
        used = max(used, recorded.microseconds / 1000)
        (epoch, highest) = (used, nil)
    }
}
