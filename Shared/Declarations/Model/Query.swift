/// A query: a request to read something, with its parameters and what it gives.
///
/// The service that answers it receives its parameters as a Swift type and responds with records; the gateway validates
/// requests against the parameters, and the API description has all of it. The parameters include what the route takes
/// from the path.
public struct QueryType: Sendable {
    /// What a query gives.
    public enum Response: Sendable {
        /// One record.
        case record(RecordType)
        /// A page of a list of records: `items`, and `next` if there are more.
        case page(of: RecordType)
        /// What another system's API demands, which no record describes.
        case foreign
    }

    /// The name on the wire: `sold-orders`.
    public let name: String
    /// What it gives, in one or more sentences.
    public let documentation: String
    /// Its response.
    public let response: Response
    /// Its parameters.
    public let parameters: [Member]
    /// What the names of its Swift types begin with: `SoldOrders`.
    public let swift: String

    /// Declares a query.
    public init(
        _ name: String, _ documentation: String, gives response: Response,
        @MemberList _ parameters: () -> [Member] = { [] }
    ) {
        self.name = name
        self.documentation = documentation
        self.response = response
        self.parameters = parameters()
        swift = name.words
    }

    /// The record of the response, or of each item.
    var record: RecordType? {
        switch response {
        case .record(let record), .page(let record): record
        case .foreign: nil
        }
    }
}

/// The queries of one service.
public struct QueryFamily: Sendable {
    /// The name of the enumeration of their names: `MarketQueryName`.
    public let names: String
    /// What they are about, in one sentence or more.
    public let documentation: String
    /// The name of the service on the wire: `catalog-orders`.
    public let service: String
    /// The queries.
    public let queries: [QueryType]

    /// Declares the queries of a service.
    public init(_ names: String, of service: String, _ documentation: String, _ queries: [QueryType]) {
        self.names = names
        self.service = service
        self.documentation = documentation
        self.queries = queries
    }

    /// The folder of the service: `CatalogOrders`.
    var folder: String { service.words }

    /// What the names of its generated files begin with: `MarketQuery`.
    var title: Substring { names.dropLast("Name".count) }

    /// The records of all responses, each once, inner ones first.
    var records: [RecordType] {
        var seen: Set<String> = []
        return queries.compactMap(\.record).flatMap(\.withInner).filter { seen.insert($0.swift).inserted }
    }

    /// All families.
    public static let all: [QueryFamily] = [.sensors, .market, .recommender, .land, .lots, .inventory]
}

extension Member {
    /// The parameter of a list that comes in pages.
    static let after = Member("after", .line.optional, "The `next` of the page before; omitted: the first page.")
}

extension RecordType {
    /// The record and those inside it, inner ones first.
    var withInner: [RecordType] { fields.flatMap(\.type.records) + [self] }
}

extension FieldType {
    /// The records of the type, inner ones first.
    fileprivate var records: [RecordType] {
        switch self {
        case .record(let record): record.withInner
        case .list(let type), .listUnlessEmpty(let type), .optional(let type): type.records
        case .fields(_, let fields, let record): record?.withInner ?? fields.flatMap(\.type.records)
        case .value, .enumeration, .integerUnlessZero: []
        }
    }

    /// The sets of texts of the type.
    var sets: [EnumType] {
        switch self {
        case .enumeration(let set): [set]
        case .list(let type), .listUnlessEmpty(let type), .optional(let type): type.sets
        case .value, .record, .fields, .integerUnlessZero: []
        }
    }
}
