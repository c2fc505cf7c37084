/// Every bound of the ledger.
enum LedgerLimits {
    /// Days within which a harvest is written down: grain, honey and wine are kept for years.
    static let harvestDays = 1_096.0
    /// Steps in the life of one lot, before it is handed over or recalled.
    static let custodySteps = 500
    /// Corrections of one activity.
    static let corrections = 50
    /// Boxes of one lot: its labels fit one answer.
    static let boxes = 1000
    /// Bytes of the public address that labels carry.
    static let addressBytes = 100
    /// Lots a lot descends from, one split after the other.
    static let ancestors = 32
    /// Lots that one recall takes in.
    static let recalledLots = 1000
    /// Activities whose holds are reviewed at one tick after a start.
    static let reviewedActivities = 200
    /// Alarms of a place that are read in one go.
    static let alarms = 100
    /// Chart points of one passport, all its lines together.
    static let chartPoints = 1000
    /// Bytes of a passport; the event around it has 65,000.
    static let passportBytes = 60_000
    /// Hours of one stay that a passport looks back on, and of one answer with readings.
    static let stayHours: Int64 = 2 * 366 * 24
    static let answeredHours: Int64 = 2000
    /// Spans that one answer about kept reports tells: an event has to have room for them, 140 bytes each.
    static let keptSpans = 300
    /// Devices that it names, over all spans.
    static let keptDevices = 5000
    /// Hours for which it is remembered what was heard: so late another slot may tell it and it counts once.
    static let heardHours: Int64 = 192
    /// Rows of a table that are looked at in one go.
    static let scanned = 1000
    /// Lots whose passports are known to be fresh.
    static let freshLots = 4096
    /// Items of one page of a list.
    static let pageItems = 200
    /// Lots that one page of a search looks at.
    static let searchedLots = 5000
    /// A passport is not issued again sooner than this, unless its lot was held, released or recalled.
    static let passportSeconds = 60.0
    /// A story is not compared with its passport again sooner than this.
    static let comparedSeconds = 20.0
    static let textBytes = 200
}
