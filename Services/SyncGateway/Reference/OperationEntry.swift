/// One operation of the API on the page: folded, with its method, address and sentence in sight.
enum OperationEntry {
    static func write(_ route: Route, _ html: inout HTMLText) {
        html.element("details", ["id": route.name, "data-operation": "\(route.method.rawValue) \(route.path.text)"]) {
            html in
            html.element("summary") { html in
                html.element("code", ["class": "method"], route.method.rawValue)
                html.element("code", ["class": "path"], route.path.text)
                html.element("span", ["class": "sentence"], route.summary)
            }
            html.element(
                "p", ["class": "quiet"], route.access.sentence + (route.needsKey ? " Needs an `Idempotency-Key`." : ""))
            members("In the address", parameters(route.pathParameters), &html)
            members("Query", parameters(route.parameters), &html)
            members("Headers", parameters(route.headers), &html)
            request(of: route, &html)
            response(of: route, &html)
            errors(of: route, &html)
        }
    }

    private static func parameters(_ parameters: [Route.Parameter]) -> [DescribedMember] {
        parameters.map { parameter in
            DescribedMember(
                name: parameter.name, shape: parameter.schema.words, isRequired: parameter.isRequired,
                documentation: parameter.documentation, members: [])
        }
    }

    private static func request(of route: Route, _ html: inout HTMLText) {
        switch route.takes {
        case .nothing: break
        case .json(let shape): members("Body", shape.described, &html)
        case .octets: note("Body", "Bytes, as `application/octet-stream`.", &html)
        case .picture: note("Body", "The bytes of a picture.", &html)
        case .deviceJSON: note("Body", "JSON in the form of the device's maker.", &html)
        }
    }

    private static func response(of route: Route, _ html: inout HTMLText) {
        switch route.gives {
        case .nothing(let status): note("Response \(status)", "Without a body.", &html)
        case .file(let type): note("Response 200", "`\(type)`.", &html)
        case .json(let status, let schema):
            let title = "Response \(status)"
            if let shape = schema.nested {
                members(title, shape.described, &html)
            } else {
                note(title, "JSON: \(schema.words).", &html)
            }
            if route.isTable { html.element("p", "With `format=csv` as a table, all pages in one.") }
        }
    }

    private static func members(_ title: String, _ members: [DescribedMember], _ html: inout HTMLText) {
        guard !members.isEmpty else { return }
        html.element("h3", title)
        DescribedMember.write(members, &html)
    }

    private static func note(_ title: String, _ words: String, _ html: inout HTMLText) {
        html.element("h3", title)
        html.element("p", words)
    }

    private static func errors(of route: Route, _ html: inout HTMLText) {
        html.element("h3", "Errors")
        html.element("p") { html in
            for status in route.problems {
                html.element("a", ["href": "#error-\(status)"], String(status))
                html.prose(" ")
            }
        }
    }
}
