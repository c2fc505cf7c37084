import Events
import JSON
import Testing
import Vocabulary

@testable import TraceLedger

@Suite("Numbers of beacons")
struct BeaconNumbersTests {
    private func item(_ name: String, _ inventory: String = "tools", beacon: String? = nil) -> ItemRow {
        ItemRow(
            ItemSet(item: ItemID(name), inventory: InventoryID(inventory), title: name, beacon: beacon),
            at: Instant(microseconds: 0))
    }

    private func proposals(_ items: [ItemRow], farm: String = "f") -> [String] {
        let numbers = BeaconNumbers(items, of: "tools", farm: farm)
        return numbers.proposals.map { "\($0.item.key) \(numbers.major):\($0.minor)" }
    }

    @Test("A farm's first tags get a UUID that no other farm has, and small numbers.")
    func first() {
        let items = [item("rake"), item("axe"), item("crate", "boxes")]
        #expect(proposals(items) == ["axe 1:1", "rake 1:2"])
        let (one, other) = (
            BeaconNumbers(items, of: "tools", farm: "f"), BeaconNumbers(items, of: "tools", farm: "g")
        )
        #expect(one.uuid != other.uuid)
        #expect(one.uuid.count == 36 && one.uuid[one.uuid.index(one.uuid.startIndex, offsetBy: 14)] == "8")
        #expect(BeaconNumbers(items.reversed(), of: "tools", farm: "f").proposals == one.proposals)
    }

    @Test("What tags have already is continued: the UUID of most, the inventory's major number, free minor numbers.")
    func continued() {
        let known = "2f234454-cf6d-4a0f-adf2-f4911ba9ffa6"
        let items = [
            item("axe", beacon: "ibeacon:\(known):7:1"), item("saw", beacon: "ibeacon:\(known):7:3"),
            item("old", "boxes", beacon: "ibeacon:00000000-0000-0000-0000-000000000000:1:1"),
            item("rake"), item("spade"), item("other", "boxes", beacon: "ble:a4c138000001"),
        ]
        #expect(BeaconNumbers(items, of: "tools", farm: "f").uuid == known)
        #expect(proposals(items) == ["rake 7:2", "spade 7:4"])
        // Another inventory gets another major number.
        let boxes = BeaconNumbers(items + [item("crate", "boxes")], of: "boxes", farm: "f")
        #expect(boxes.major == 1 && boxes.proposals.map(\.minor) == [1])
        let crates = BeaconNumbers([item("axe", beacon: "ibeacon:\(known):1:1")], of: "boxes", farm: "f")
        #expect(crates.major == 2)
    }

    @Test("When no number is left, nothing is proposed.")
    func full() {
        let known = "2f234454-cf6d-4a0f-adf2-f4911ba9ffa6"
        let items = (1...65_535).map { item("i\($0)", beacon: "ibeacon:\(known):1:\($0)") }
        #expect(proposals(items + [item("rake")]) == [])
    }

    @Test("The query proposes numbers for the items of an inventory, which another item then does not get.")
    func query() throws {
        let ledger = try Ledger.farm()
        try ledger.done(
            "set-inventory", #"{"inventory":"tools","title":"Tools","plan":"\#(String(repeating: "ab", count: 32))"}"#)
        for name in ["axe", "rake"] {
            try ledger.done(
                "set-item", #"{"item":"\#(name)","inventory":"tools","title":"T","spot":{"x":250,"y":1000}}"#)
        }
        let page = try ledger.done("beacon-numbers", #"{"inventory":"tools"}"#)
        let beacons = try page.get("items", as: [JSONValue].self).map { try $0.get("beacon", as: String.self) }
        #expect(beacons.count == 2 && beacons[0].hasSuffix(":1:1") && beacons[1].hasSuffix(":1:2"))
        try ledger.done(
            "set-item", #"{"item":"axe","inventory":"tools","title":"T","beacon":"\#(beacons[0])"}"#)
        let next = try ledger.done("beacon-numbers", #"{"inventory":"tools"}"#)
        let left = try next.get("items", as: [JSONValue].self)
        let minor = try left[0].get("minor", as: Int.self)
        #expect(left.count == 1 && minor == 2)
        // The spots are in the list of items, until an item is set without one; the plan is that of the inventory.
        let items = try ledger.done("items", #"{"inventory":"tools"}"#).get("items", as: [JSONValue].self)
        let spot = try items[1].get("spot", as: PlanSpot.self)
        let none = try items[0].find("spot", as: PlanSpot.self)
        #expect(spot == PlanSpot(x: 250, y: 1000) && none == nil)
        let inventory = try ledger.done("inventories", "{}").get("items", as: [JSONValue].self)[0]
        let plan = try inventory.get("plan", as: String.self)
        #expect(plan == String(repeating: "ab", count: 32))
    }
}
