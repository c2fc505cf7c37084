import EventSourcing
import Testing

@Suite("Cell reader")
struct CellReaderTests {
    private let schema = TableSchema("t", [("a", .text), ("b", .integer), ("c", .real)])
    private let bad = RowDecodingError(table: "t", key: "k")

    @Test func `a cell reader returns the cells in the schema's order`() throws {
        var reader = try CellReader(schema, "k", [.text("x"), .integer(7), .real(0.5)])
        #expect(try reader.text() == "x")
        #expect(try reader.int() == 7)
        #expect(try reader.real() == 0.5)
    }

    @Test func `a cell reader returns nil for an absent optional value`() throws {
        var reader = try CellReader(schema, "k", [.null, .null, .null])
        #expect(try reader.optionalText() == nil)
        #expect(try reader.optionalInteger() == nil)
        #expect(try reader.optionalReal() == nil)
        #expect(Cell(nil as String?) == .null)
        #expect(Cell(true) == .integer(1))
    }

    @Test func `a cell reader refuses a row with another number or other types of cells`() throws {
        #expect(throws: bad) { _ = try CellReader(schema, "k", [.text("x")]) }
        #expect(throws: bad) {
            var reader = try CellReader(schema, "k", [.integer(1), .integer(7), .real(0.5)])
            _ = try reader.text()
        }
        #expect(throws: bad) {
            var reader = try CellReader(schema, "k", [.text("x"), .text("7"), .null])
            _ = try reader.text()
            _ = try reader.optionalInteger()
        }
        #expect(throws: bad) {
            var reader = try CellReader(schema, "k", [.text("x"), .null, .null])
            _ = try reader.text { Int($0) }
        }
    }

    @Test func `a cell reader refuses to read past the last cell`() throws {
        var reader = try CellReader(TableSchema("t", []), "k", [])
        #expect(throws: bad) { _ = try reader.text() }
        #expect(throws: bad) { _ = try reader.optionalText() }
    }
}
