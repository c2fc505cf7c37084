/// What is to happen, in the order of its time; what has the same time happens in the order it was planned.
struct Agenda<Item> {
    private var heap: [(at: Int64, number: UInt64, item: Item)] = []
    private var number: UInt64 = 0

    var isEmpty: Bool { heap.isEmpty }

    mutating func plan(_ item: Item, at time: Int64) {
        number += 1
        heap.append((time, number, item))
        var child = heap.count - 1
        while child > 0, isBefore(child, (child - 1) / 2) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func next() -> (at: Int64, item: Item)? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            sink()
        }
        return (first.at, first.item)
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
