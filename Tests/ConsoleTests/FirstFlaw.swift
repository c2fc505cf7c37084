@testable import Console

extension TreeAudit {
    var flaw: String? { flaws.first }
}

extension SealAudit {
    var flaw: String? { flaws.first }
}

extension Mirrors {
    var flaw: String? { flaws.first }
}

extension EmptyPlaces {
    func flaw(of feed: String) -> String? { flaws(of: feed).first }
}
