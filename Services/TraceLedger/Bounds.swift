/// Every bound of the ledger.
enum Bounds {
    /// Activities of one plot that are looked at.
    static let activities = 2000
    /// Steps in the life of one lot.
    static let custodySteps = 500
    /// Boxes of one packing.
    static let boxes = 1000
    /// Lots a lot descends from, one split after the other.
    static let ancestors = 32
    /// Chart points of one passport, all its lines together: keeps the event below its size.
    static let chartPoints = 1000
    /// Items of one page of a list.
    static let pageItems = 200
    /// A passport is not issued anew more often than this, however often its label is scanned.
    static let passportSeconds = 20.0
    static let textBytes = 200
}
