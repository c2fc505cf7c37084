import Events
import JSON
import Testing
import Vocabulary

@testable import Recommender

@Suite("Outcomes of the picks")
struct PicksOutcomeTests {
    @Test func `one of four people gets picks by habit, and each person stays with one model`() {
        let people = (0..<4000).map { PersonID("person-\($0)") }
        let habit = people.count { Picks.model(of: $0) == .habit }
        #expect((900...1100).contains(habit))
        #expect(people.map { Picks.model(of: $0) } == people.map { Picks.model(of: $0) })
    }

    @Test func `the recorded probability of a pick is the share of days on which it is drawn`() {
        let known = (0..<12).map { ProductID("k\($0)") }
        let new = (0..<5).map { ProductID("n\($0)") }
        var drawn: [ProductID: Int] = [:]
        var chances: [ProductID: Int] = [:]
        let days = 4000
        for day in 0..<days {
            let picks = Picks(person: "anna", day: "\(day)").choose(from: known, and: new)
            #expect(picks.count == 12)
            for pick in picks {
                drawn[pick.product, default: 0] += 1
                chances[pick.product] = pick.chance
            }
        }
        for product in known + new {
            let share = Double(drawn[product] ?? 0) / Double(days)
            #expect(abs(share - Double(chances[product] ?? 0) / 1000) < 0.03, "\(product): \(share)")
        }
        #expect(chances["k0"] == 583 && chances["n0"] == 1000, "7 of 12 and 5 of 5")
    }

    @Test func `an order within a week counts for the model that picked, until it is cancelled`() throws {
        let shop = try PicksTests.shop()
        let picks = try shop.picks(of: "anna", on: "2026-05-03")
        let model = Picks.model(of: "anna")
        let before = try outcome(of: model, in: shop)
        #expect(before.people == 1 && before.ordering == 0 && before.picks == 12)
        try shop.order("soon", by: "anna", [picks[0], picks[1]], day: 6)
        let after = try outcome(of: model, in: shop)
        #expect(after.ordering == 1 && after.ordered == 2)
        try shop.tell(OrderCancelled(order: "soon", why: .buyer))
        #expect(try outcome(of: model, in: shop).ordered == 0)
        try shop.order("late", by: "anna", [picks[0]], day: 8)
        #expect(try outcome(of: model, in: shop).ordered == 0, "after a week it does not count")
        let (anew, live) = try shop.rebuilt()
        #expect(anew == live)
    }

    @Test func `the outcomes of an erased person are subtracted, as if they had never had picks`() throws {
        let shop = try PicksTests.shop()
        let picks = try shop.picks(of: "anna", on: "2026-05-03")
        try shop.order("soon", by: "anna", picks, day: 1)
        try shop.tell(PersonErased(person: "anna"))
        for model in PicksModel.allCases {
            let outcome = try outcome(of: model, in: shop)
            #expect(outcome.people == 0 && outcome.picks == 0 && outcome.ordered == 0)
        }
        let (anew, live) = try shop.rebuilt()
        #expect(anew == live)
    }

    @Test func `both models are compared with an interval, and the shares of candidates are weighted`() throws {
        let shop = try PicksTests.shop()
        let people = (0..<24).map { "p\($0)" }
        for person in people {
            let picks = try shop.picks(of: person, on: "2026-05-03")
            // Those with the learnt model order what was picked first.
            if Picks.model(of: PersonID(person)) == .learnt {
                try shop.order("o-\(person)", by: person, [picks[0]], day: 1)
            }
        }
        let (status, json) = try shop.ask("{}", verb: "picks-outcomes")
        #expect(status == 200)
        let difference = try json.get("difference", as: JSONValue.self)
        #expect(try difference.get("share", as: Double.self) == 1)
        #expect(try difference.get("low", as: Double.self) > 0)
        let models = try json.get("models", as: [JSONValue].self)
        #expect(try models[0].get("orderedOfCandidates", as: Double.self) > 0)
        #expect(try models[1].get("orderedOfCandidates", as: Double.self) == 0)
        let weeks = try models[0].get("weeks", as: [JSONValue].self).map { try $0.get("from", as: String.self) }
        #expect(weeks == ["2026-04-27"])
    }

    private struct Outcome {
        let people: Int
        let ordering: Int
        let picks: Int
        let ordered: Int
    }

    private func outcome(of model: PicksModel, in shop: Shopfront) throws -> Outcome {
        let models = try shop.ask("{}", verb: "picks-outcomes").json.get("models", as: [JSONValue].self)
        let json = try #require(try models.first { try $0.get("model", as: String.self) == model.rawValue })
        return Outcome(
            people: try json.get("people"), ordering: try json.get("ordering"), picks: try json.get("picks"),
            ordered: try json.get("ordered"))
    }
}
