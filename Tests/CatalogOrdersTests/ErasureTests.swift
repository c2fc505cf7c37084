import EventSourcing
import EventStore
import Events
import Host
import TestKit
import Testing
import Vault
import Vocabulary

@testable import CatalogOrders

@Suite("Erasure of buyers' contacts")
struct ErasureTests {
    private static let ben = "0191d9a2-7cde-4cc3-98c4-dc0c0c07398f"

    /// Returns a market that has consumed the erasure of Ben, with a vault whose first `failures` erasures fail.
    private func market(in folder: String, failures: Int) throws -> Market {
        var left = failures
        let market = try Market(in: folder) { vault in
            Contacts(vault) { person throws(VaultError) in
                left -= 1
                guard left < 0 else { throw .failed(LogFailure(operation: "erase", message: "no room")) }
                try vault.erase(person: person)
            }
        }
        try market.buyer(Self.ben, "keep-contact", #"{"name":"Ben Moor"}"#)
        try market.hear(PersonErased(person: PersonID(Self.ben)))
        return market
    }

    @Test func `a failed erasure is retried until the vault has erased the contact`() throws {
        try withTemporaryDirectory { folder in
            let market = try market(in: folder, failures: 2)
            #expect(try market.vault.get(kind: "contact", id: Self.ben) != nil)
            try market.pass(seconds: 1)
            #expect(try market.vault.get(kind: "contact", id: Self.ben) != nil)
            try market.pass(seconds: MarketLimits.secondsOfPatience - 0.5)
            #expect(try market.vault.get(kind: "contact", id: Self.ben) != nil)
            try market.pass(seconds: 1)
            #expect(try market.vault.get(kind: "contact", id: Self.ben) == nil)
            #expect(try market.vault.isErased(PersonID(Self.ben)))
            let (anew, live) = try market.rebuilt()
            #expect(anew == live)
        }
    }

    @Test func `an erasure that never succeeded is retried by the next process`() throws {
        try withTemporaryDirectory { folder in
            let market = try market(in: folder, failures: .max)
            try market.pass(seconds: 1)
            #expect(try market.vault.get(kind: "contact", id: Self.ben) != nil)
            var next = CatalogOrders(vault: market.vault)
            _ = next.step(.ticked(wall: market.now), at: market.now, seeing: market.core.tables)
            #expect(try market.vault.get(kind: "contact", id: Self.ben) == nil)
        }
    }
}
