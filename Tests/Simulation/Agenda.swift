/// A priority queue of future items, ordered by time. Items with the same time are taken in the order of insertion.
struct Agenda<Item> {
    /// A binary heap of indices into `items`: small values are cheap to move.
    private var heap: [(at: Int64, number: UInt64, place: Int)] = []
    private var items: [Item?] = []
    /// The unused indices of `items`.
    private var free: [Int] = []
    private var number: UInt64 = 0

    var isEmpty: Bool { heap.isEmpty }

    mutating func plan(_ item: Item, at time: Int64) {
        number += 1
        heap.append((time, number, put(item)))
        var child = heap.count - 1
        while child > 0, isBefore(child, (child - 1) / 2) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func next() -> (at: Int64, item: Item)? {
        guard let first = heap.first, let item = items[first.place] else { return nil }
        items[first.place] = nil
        free.append(first.place)
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            sink()
        }
        return (first.at, item)
    }

    private mutating func put(_ item: Item) -> Int {
        if let place = free.popLast() {
            items[place] = item
            return place
        }
        items.append(item)
        return items.count - 1
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && isBefore(child, least) {
                least = child
            }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }

    private func isBefore(_ left: Int, _ right: Int) -> Bool {
        (heap[left].at, heap[left].number) < (heap[right].at, heap[right].number)
    }
}
