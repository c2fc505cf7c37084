import Vocabulary

/// Names the reports of one device in one journal: no two of them have the same name, and no receiver's clock is part
/// of it.
///
/// A device epoch begins with the device, and whenever its newest report has a lower number than the one before (a new
/// battery, a restart, a wrapped counter). A long counter that is higher than all before it in its epoch names the
/// report together with the epoch. Every other report (a short counter, none, a late one) gets a running number.
struct ReportNames: Equatable {
    var epoch: Int64 = 0
    /// The last running number, which epochs are numbered with, too.
    var used: Int64 = 0
    /// The highest counter of the epoch.
    var highest: UInt64?

    /// Returns what makes the name of the next report unique, beside device, counter and payload.
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

    /// What was named is pruned. From here on names are the same whether they were counted over all reports or over
    /// those that are left: milliseconds are more than any journal has reports.
    mutating func skip(to recorded: Instant) {
        used = max(used, recorded.microseconds / 1000)
        (epoch, highest) = (used, nil)
    }
}
