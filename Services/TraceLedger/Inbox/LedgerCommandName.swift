/// What the ledger can be asked to do.
enum LedgerCommandName: String, CaseIterable {
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
    /// Makes sure that the newest passport of a lot tells its story as it stands.
    case refreshPassport = "refresh-passport"
}

/// What the ledger can be asked to tell.
enum LedgerQueryName: String, CaseIterable {
    case farms
    case plots
    case stores
    case activities
    case lots
    case lot
    /// Harvested lots that are held until a person releases them.
    case holds
    case labels
    case readings
    case passportProof = "passport-proof"
    case ledgerKeys = "ledger-keys"
    case checkpoint
    /// Every checkpoint that was ever signed, page by page.
    case checkpoints
    case tile
    /// The log's entries of some places of the hub, as their hashes stand in the tree.
    case entries
    /// Which of these event ids the hub has.
    case known
    /// Which reports of an old time must stay because stories rest on them.
    case keptReports = "kept-reports"
}
