/// The Swift source of a service's queries: for the service their parameters and responses, for the gateway what it
/// checks and describes.
enum QuerySource {
    /// Returns the source of the parameters that the service receives.
    static func parameters(of family: QueryFamily) -> String {
        var source = SwiftText()
        source.begin(importing: ["Events", "Vocabulary", "Wire"])
        for query in family.queries where !query.parameters.isEmpty {
            source.request("\(query.swift)Query", query.documentation, query.parameters)
        }
        return source.text
    }

    /// Returns the source of the responses that the service makes. The records of events have types already.
    static func responses(of family: QueryFamily) -> String {
        var source = SwiftText()
        let modules = family.records.reduce(into: Set(["Events", "JSON", "Vocabulary"])) { $0.formUnion($1.modules) }
        source.begin(from: "Responses", importing: modules.sorted())
        let ofEvents = Set(Family.all.flatMap(\.records).map(\.swift))
        let records = family.records.filter { !$0.isHandWritten && !ofEvents.contains($0.swift) }
        for record in records { source.response(record) }
        var seen: Set<String> = []
        for set in records.flatMap({ $0.fields.flatMap(\.type.sets) })
        where !set.isOfEvents && seen.insert(set.swift).inserted {
            source.line()
            source.documentation(set.documentation)
            source.block("enum \(set.swift): String, CaseIterable, Sendable, JSONWritable") { $0.cases(of: set) }
        }
        return source.text
    }

    /// Returns the source of the declarations that the gateway reads.
    static func declarations(of family: QueryFamily) -> String {
        var source = SwiftText()
        source.begin(importing: ["Events", "Vocabulary", "Wire"])
        source.line()
        source.block("extension \(family.names)") { source in
            source.line("/// What each query gives and takes.")
            source.block("var declaration: QueryDeclaration") { source in
                source.line("switch self {")
                for query in family.queries { source.line("case .\(query.swift.lowerFirst): \(query.constant)") }
                source.line("}")
            }
        }
        for query in family.queries {
            source.declaration(
                query.constant, "QueryDeclaration", query.documentation, query.parameters,
                last: ", gives: \(query.response.schema)")
        }
        return source.text
    }

    /// The source of the shapes of all records in responses.
    static var shapes: String {
        var source = SwiftText()
        source.begin(from: "Responses", importing: ["Events"])
        source.line()
        var seen: Set<String> = []
        let records = QueryFamily.all.flatMap(\.records).filter { seen.insert($0.swift).inserted }
        source.block("extension Shape") { source in
            for (index, record) in records.enumerated() {
                if index > 0 { source.line() }
                source.documentation(record.documentation)
                source.group("static let \(record.shapeName) = Shape([", "])") { source in
                    source.shape(
                        record.fields.flatMap(\.flat).map { field in
                            (field.type.isOptional, field.name, field.type.responseSchema, field.documentation)
                        })
                }
            }
        }
        seen = []
        for set in records.flatMap({ $0.fields.flatMap(\.type.sets) })
        where !set.isOfEvents && seen.insert(set.swift).inserted {
            source.line()
            source.list("private let \(set.wordsName) = [", set.cases.map(\.text.literal), "]", final: ",")
        }
        return source.text
    }
}

extension QueryType {
    /// The name of the gateway's constant.
    fileprivate var constant: String { "\(swift.lowerFirst)Declaration" }
}

extension QueryType.Response {
    fileprivate var schema: String {
        switch self {
        case .record(let record): ".object(.\(record.shapeName))"
        case .page(let record): ".page(of: .\(record.shapeName))"
        case .foreign: ".anything"
        }
    }
}

extension SwiftText {
    /// Adds the type of a response.
    fileprivate mutating func response(_ record: RecordType) {
        line()
        documentation(record.documentation)
        block("struct \(record.swift): Sendable, Equatable, JSONRecord") { source in
            for field in record.fields {
                source.documentation(field.documentation)
                source.line("var \(field.name): \(field.type.swift)")
            }
            source.line()
            source.line("/// Writes the fields.")
            source.block("func write(fields json: inout JSONWriter)") { source in
                for field in record.fields { source.line(field.writing) }
            }
        }
    }
}
