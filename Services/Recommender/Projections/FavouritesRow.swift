import EventSourcing
import Events
import Vocabulary

/// A person's favourite farms and products, the latest first. The key is the person.
struct FavouritesRow: TableRow {
    static let schema = TableSchema("favourites", [("favourites", .text)])

    let key: String
    private(set) var favourites: [Favourite] = []

    init(_ person: PersonID) { key = person.rawValue }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        favourites = try cells.text().split(separator: "\n").compactMap { Favourite(String($0)) }
    }

    var cells: [Cell] { [.text(favourites.map(\.description).joined(separator: "\n"))] }

    mutating func add(_ favourite: Favourite) {
        remove(favourite)
        favourites.insert(favourite, at: 0)
    }

    mutating func remove(_ favourite: Favourite) { favourites.removeAll { $0 == favourite } }
}

extension FavouritesRow {
    /// Applies a change of a person's favourites. Those of an erased person are not stored.
    static func change(_ person: PersonID, _ tables: some Tables, _ change: (inout FavouritesRow) -> Void) {
        guard tables.get(RecommenderErasedRow.self, person.rawValue) == nil else { return }
        var row = tables.get(FavouritesRow.self, person.rawValue) ?? FavouritesRow(person)
        change(&row)
        if row.favourites.isEmpty { tables.remove(FavouritesRow.self, row.key) } else { tables.put(row) }
    }
}
