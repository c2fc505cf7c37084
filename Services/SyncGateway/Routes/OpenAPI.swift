import Events
import JSON

/// The description of the public API (OpenAPI 3.1.0), generated from the table of routes.
enum OpenAPI {
    static let document: [UInt8] = {
        var json = JSONWriter(reserving: 64 * 1024)
        json.object { json in
            json.field("openapi", "3.1.0")
            json.field("info", object: writeInfo)
            json.field("servers", array: { json in json.object { $0.field("url", "/") } })
            json.field(
                "security",
                array: { json in
                    json.object { $0.field("session", array: { _ in }) }
                    json.object { $0.field("plainSession", array: { _ in }) }
                    json.object { $0.field("bearer", array: { _ in }) }
                })
            json.field("tags", array: writeTags)
            json.field("paths", object: writePaths)
            json.field("components", object: writeComponents)
        }
        return json.bytes
    }()

    private static func writeInfo(_ json: inout JSONWriter) {
        json.field("title", "Furrow")
        json.field("version", "1")
        json.field(
            "description",
            "What happens on a farm as one verifiable story. Times are RFC 3339 in UTC; errors are RFC 9457 problem "
                + "details; answers carry the hub position they reflect in Furrow-Hub-Position. A method that an address "
                + "does not take is answered 405, with those that it takes in Allow.")
    }

    private static func writeTags(_ json: inout JSONWriter) {
        for subject in Routes.subjects { json.object { $0.field("name", subject.title) } }
    }

    private static func writePaths(_ json: inout JSONWriter) {
        var paths: [(path: String, routes: [(subject: String, route: Route)])] = []
        for (subject, routes) in Routes.subjects {
            for route in routes {
                if let index = paths.firstIndex(where: { $0.path == route.path.text }) {
                    paths[index].routes.append((subject, route))
                } else {
                    paths.append((route.path.text, [(subject, route)]))
                }
            }
        }
        for (path, routes) in paths {
            json.field(
                path,
                object: { json in
                    for (subject, route) in routes {
                        json.field(
                            route.method.rawValue.lowercased(),
                            object: { json in
                                json.field("tags", [subject])
                                write(route, &json)
                            })
                    }
                })
        }
    }

    private static func write(_ route: Route, _ json: inout JSONWriter) {
        json.field("operationId", route.name)
        json.field("summary", route.summary)
        switch route.access {
        case .atLeast(let role):
            json.field("description", route.access.sentence)
            json.field("x-furrow-role", role)
        case .radioGateway:
            json.field("description", route.access.sentence)
            let isTokenInPath = route.path.parameters.contains("token")
            json.field(
                "security",
                array: { json in
                    if !isTokenInPath { json.object { $0.field("bearer", array: { _ in }) } }
                })
        case .everyone: json.field("security", array: { _ in })
        }
        json.field("parameters", array: { json in writeParameters(of: route, &json) })
        writeRequest(of: route, &json)
        json.field("responses", object: { json in writeResponses(of: route, &json) })
    }

    private static func writeParameters(of route: Route, _ json: inout JSONWriter) {
        for parameter in route.pathParameters { write("path", parameter, &json) }
        for parameter in route.parameters { write("query", parameter, &json) }
        for header in route.headers { write("header", header, &json) }
        if route.isStrict { json.object { $0.field("$ref", "#/components/parameters/prefer") } }
        if route.needsKey { json.object { $0.field("$ref", "#/components/parameters/key") } }
    }

    private static func write(_ place: String, _ parameter: Route.Parameter, _ json: inout JSONWriter) {
        json.object { json in
            json.field("name", parameter.name)
            json.field("in", place)
            json.field("required", parameter.isRequired)
            json.field("description", ifPresent: parameter.documentation)
            json.field("schema", parameter.schema)
        }
    }

    private static func writeRequest(of route: Route, _ json: inout JSONWriter) {
        switch route.takes {
        case .nothing: break
        case .json(let shape): writeBody("application/json", .object(shape), &json)
        case .octets, .picture: writeBody("application/octet-stream", nil, &json)
        case .deviceJSON: writeBody("application/json", nil, &json)
        }
    }

    private static func writeBody(_ type: String, _ schema: APISchema?, _ json: inout JSONWriter) {
        json.field(
            "requestBody",
            object: { json in
                json.field("required", true)
                json.field("content", object: { json in write(type, schema, &json) })
            })
    }

    private static func write(_ type: String, _ schema: APISchema?, _ json: inout JSONWriter) {
        json.field(type, object: { json in json.field("schema", ifPresent: schema) })
    }

    private static func writeResponses(of route: Route, _ json: inout JSONWriter) {
        switch route.gives {
        case .json(let status, let schema):
            write(
                status, ("application/json", schema), headers: route.isShared ? tagged : [:], hasCSV: route.isTable,
                &json)
        case .file(let type): write(200, (type, nil), &json)
        case .nothing(let status): write(status, nil, &json)
        }
        if route.isShared {
            json.field("304", object: { $0.field("$ref", "#/components/responses/304") })
        }
        if route.mayBeUnknown {
            json.field("202", object: { $0.field("$ref", "#/components/responses/unknown") })
        }
        for status in route.problems {
            json.field(String(status), object: { $0.field("$ref", "#/components/responses/\(status)") })
        }
    }

    private static func write(
        _ status: Int, _ content: (String, APISchema?)?, headers: Shape = [:], hasCSV: Bool = false,
        _ json: inout JSONWriter
    ) {
        json.field(
            String(status),
            object: { json in
                json.field("description", status == 201 ? "Created." : "Done.")
                if !headers.members.isEmpty { writeHeaders(headers, &json) }
                guard let content else { return }
                json.field(
                    "content",
                    object: { json in
                        write(content.0, content.1, &json)
                        if hasCSV { write("text/csv", .text, &json) }
                    })
            })
    }

    private static func writeComponents(_ json: inout JSONWriter) {
        json.field(
            "securitySchemes",
            object: { json in
                for (scheme, isSecure) in [("session", true), ("plainSession", false)] {
                    json.field(
                        scheme,
                        object: { json in
                            json.field("type", "apiKey")
                            json.field("in", "cookie")
                            json.field("name", SessionCookie.name(isSecure: isSecure))
                            json.field("description", "The cookie \(isSecure ? "over TLS" : "without TLS").")
                        })
                }
                json.field(
                    "bearer",
                    object: { json in
                        json.field("type", "http")
                        json.field("scheme", "bearer")
                    })
            })
        json.field(
            "parameters",
            object: { json in
                writeKey(&json)
                writePrefer(&json)
            })
        json.field("schemas", object: { $0.field("Problem", problem) })
        json.field("responses", object: writeCommonResponses)
    }

    private static func writeKey(_ json: inout JSONWriter) {
        json.field(
            "key",
            object: { json in
                json.field("name", "Idempotency-Key")
                json.field("in", "header")
                json.field("required", true)
                json.field(
                    "description", "A unique key of the caller for this change; a repeated request is executed once.")
                json.field("schema", APISchema.form(.key))
            })
    }

    private static func writePrefer(_ json: inout JSONWriter) {
        json.field(
            "prefer",
            object: { json in
                json.field("name", "Prefer")
                json.field("in", "header")
                json.field("required", false)
                json.field(
                    "description",
                    "`handling=lenient` (RFC 7240): members and query parameters that are not described here are "
                        + "ignored, and listed in Furrow-Ignored. Otherwise they are refused.")
                json.field("schema", APISchema.text)
            })
    }

    private static func writeCommonResponses(_ json: inout JSONWriter) {
        for status in Set(Routes.all.flatMap(\.problems)).sorted() {
            json.field(String(status), object: { json in writeProblem(status, &json) })
        }
        json.field(
            "304",
            object: { json in
                json.field("description", "Unchanged: the entity tag is the one in If-None-Match.")
                writeHeaders(tagged, &json)
            })
        json.field(
            "unknown",
            object: { json in
                json.field("description", "Not finished in time; Location is the address of the outcome.")
                writeHeaders(["Location": .text, "Retry-After": .integer], &json)
                json.field("content", object: { json in write("application/json", .object(pending), &json) })
            })
    }

    private static func writeProblem(_ status: Int, _ json: inout JSONWriter) {
        json.field("description", Route.meaning(of: status))
        if [425, 429, 503].contains(status) { writeHeaders(["Retry-After": .integer], &json) }
        json.field(
            "content",
            object: { json in
                json.field(
                    "application/problem+json",
                    object: { json in
                        json.field("schema", object: { $0.field("$ref", "#/components/schemas/Problem") })
                    })
            })
    }

    private static func writeHeaders(_ headers: Shape, _ json: inout JSONWriter) {
        json.field(
            "headers",
            object: { json in
                for header in headers.members {
                    json.field(
                        header.name,
                        object: { json in
                            json.field("required", true)
                            json.field("schema", header.schema)
                        })
                }
            })
    }

    private static let tagged: Shape = ["ETag": .text]

    private static let pending: Shape = ["command": .text, "state": .words(["pending"])]

    private static let problem = APISchema.object([
        "type": .text, "title": .text, "status": .integer, "detail": .text,
    ])
}
