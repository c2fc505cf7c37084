@testable import Console

extension TreeAudit {
    var flaw: String? { flaws.first }
}

extension SealAudit {
    var flaw: String? { flaws.first }
}

extension OriginSummaries {
    var flaw: String? { flaws.first }
}

extension PrunedPositions {
    func flaw(of feed: String) -> String? { flaws(of: feed).first }
}
