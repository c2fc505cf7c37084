import Vocabulary

/// The limits of the ledger.
enum LedgerLimits {
    /// The most days after which a harvest can be recorded: grain, honey and wine are stored for years.
    static let harvestDays = 1_096.0
    /// The most steps of one lot before it is handed over or recalled.
    static let custodySteps = 500
    /// The most corrections of one activity.
    static let corrections = 50
    /// The most boxes of one lot, so that its labels fit one response.
    static let boxes = 1000
    /// The most bytes of the public address on labels.
    static let addressBytes = 100
    /// The longest chain of splits between a lot and its harvest.
    static let ancestors = 32
    /// The most lots in one recall.
    static let recalledLots = 1000
    /// The most activities whose holds are reviewed in one tick after a start.
    static let reviewedActivities = 200
    /// The most alarms of a place that are read at once.
    static let alarms = 100
    /// The most chart points of one passport, all series together.
    static let chartPoints = 1000
    /// The most bytes of a passport; the event around it may have 65,000.
    static let passportBytes = 60_000
    /// The most hours of one stay in a passport.
    static let stayHours: Int64 = 2 * 366 * 24
    /// The most buckets that one page of readings covers: about 200 kB of CSV.
    static let readingBuckets: Int64 = 1500
    /// The most hours of all series together that one page of readings reads, unless one bucket needs more.
    static let readingHours: Int64 = 4000
    /// The most buckets of one page of the growth table.
    static let growthRecords: Int64 = 500
    /// The most series of one query for readings.
    static let readingSeries = 1000
    /// The most rules of one place.
    static let placeRules = 1000
    /// The most intervals in one response about retained reports. An event must have room for them, at 140 bytes each.
    static let keptSpans = 300
    /// The most devices in it, over all intervals.
    static let keptDevices = 5000
    /// Hours for which reports are stored for deduplication. A copy that another slot delivers within this time counts
    /// once.
    static let heardHours: Int64 = 192
    /// The quantities that goods may have limits of.
    static let goodsQuantities: [Quantity] = [.temperature, .humidity]
    /// The most kinds of goods, products of one, kinds in one store with limits, and lots that an event names of one.
    static let goods = 200
    static let goodsOfStore = 40
    static let namedLots = 50
    /// The longest short name of a kind: the rule `goods-<goods>-temperature` must be a name.
    static let goodsNameBytes = 20
    /// Inventories of a site, and items of one of them.
    static let inventories = 200
    static let items = 10_000
    static let sightingsOfStocktake = 100_000
    /// Bytes of a beacon's name or a code.
    static let thingBytes = 200
    /// How far the clock of a device that counts may be from that of the farm; seconds.
    static let sightingSeconds = 30 * 86_400.0
    /// Lines of a report in one response.
    static let reportLines = 1000
    /// The most rows of a table that are read at once.
    static let scanned = 1000
    /// The most lots in the passport cache.
    static let freshLots = 4096
    /// The most items of one page of a list.
    static let pageItems = 200
    /// The most lots that one page of a search examines.
    static let searchedLots = 5000
    /// The least seconds between two passports of a lot, unless the lot was held, released or recalled.
    static let passportSeconds = 60.0
    /// The least seconds between two comparisons of a story with its passport.
    static let comparedSeconds = 20.0
    static let textBytes = 200
    /// The most photographs of one response.
    static let photographs = 60
    /// The most photographs of a place that stories show, and of one story.
    static let shownPhotographs = 500
    static let storyPhotographs = 24
    /// Days after which a photograph that no story shows is removed, as raw reports are.
    static let photographDays = 730
    /// Seconds between two reviews of the photographs' age, and photographs that one tick removes.
    static let photographReviewSeconds = 3_600.0
    static let removedPhotographs = 100
}
