/// The names of trace-ledger's commands.
public enum LedgerCommandName: String, RequestName {
    public static let service = "trace-ledger"

    case foundFarm = "found-farm"
    case layOutPlot = "lay-out-plot"
    case openStore = "open-store"
    case recordActivity = "record-activity"
    case correctActivity = "correct-activity"
    case harvest
    case correctHarvest = "correct-harvest"
    case splitLot = "split-lot"
    case packLot = "pack-lot"
    case storeLot = "store-lot"
    case handOverLot = "hand-over-lot"
    case printLabels = "print-labels"
    case recallLot = "recall-lot"
    case releaseLot = "release-lot"
    /// Issues a new passport of a lot if its story has changed.
    case refreshPassport = "refresh-passport"
    /// Sets the limits for storing a kind of goods.
    case setGoods = "set-goods"
    case setInventory = "set-inventory"
    case setFarmMap = "set-farm-map"
    case setItem = "set-item"
    case removeItem = "remove-item"
    case startStocktake = "start-stocktake"
    /// Adds sightings to a stocktake's set.
    case countItems = "count-items"
    case resolveDifference = "resolve-difference"
    case finishStocktake = "finish-stocktake"
    case recordPhotograph = "record-photograph"
    case showPhotograph = "show-photograph"
    case removePhotograph = "remove-photograph"
}

/// The names of trace-ledger's queries.
public enum LedgerQueryName: String, RequestName {
    public static let service = "trace-ledger"

    case farms
    case farmMaps = "farm-maps"
    case plots
    case stores
    case activities
    case photographs
    case lots
    case lot
    /// Harvested lots that are held until a person releases them.
    case holds
    case labels
    case readings
    /// The table of growth environmental information of a plot or a lot.
    case growth
    case passportProof = "passport-proof"
    /// The end of a stocktake with everything that is needed to verify it.
    case stocktakeProof = "stocktake-proof"
    case ledgerKeys = "ledger-keys"
    case checkpoint
    /// Every signed checkpoint, page by page.
    case checkpoints
    case tile
    /// Log entries from a hub position on, as hashed in the Merkle tree.
    case entries
    /// The old reports that must be retained because lots' stories need them.
    case keptReports = "kept-reports"
    /// The kinds of goods with their limits, and those that handbooks recommend.
    case goods
    case inventories
    case items
    /// The numbers that are proposed for the beacons of items.
    case beaconNumbers = "beacon-numbers"
    /// What stocktakes have found of one item.
    case finds
    case stocktakes
    case stocktake
    /// The lines of a stocktake's report.
    case stocktakeLines = "stocktake-lines"
}
