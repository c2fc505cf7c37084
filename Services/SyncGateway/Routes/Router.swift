/// Finds the route of a request.
enum Router {
    enum Match {
        case found(Route, [(name: String, value: String)])
        /// The path exists, but not with this method.
        case otherMethods([String])
        case nothing
    }

    /// The second word of a path, such as `lots`, by which most routes differ; nil if it is a parameter or missing.
    private static func word(of template: PathTemplate) -> String? {
        guard template.segments.count > 1, case .word(let word) = template.segments[1] else { return nil }
        return word
    }

    /// The indices of the routes by their second word, so that a request is compared with a few of all routes.
    private static let routes = Dictionary(grouping: Routes.all.indices) { word(of: Routes.all[$0].path) }

    static func find(_ method: String, _ path: String) -> Match {
        var parts = Array(path.split(separator: "/", omittingEmptySubsequences: false).dropFirst())
        // Clients of Gorse leave the category empty.
        if parts.count > 1, parts[0] == "api", parts.last == "" { parts.removeLast() }
        var others: [String] = []
        var fitting: [(index: Int, values: [(name: String, value: String)])] = []
        let named = parts.count > 1 ? routes[String(parts[1])] ?? [] : []
        for index in named + (routes[nil] ?? []) {
            if let values = Routes.all[index].path.match(parts) { fitting.append((index, values)) }
        }
        // A literal segment wins over a parameter: `/v1/orders/imports` is not an order.
        let fewest = fitting.map(\.values.count).min()
        for (index, values) in fitting where values.count == fewest {
            let route = Routes.all[index]
            if route.method.rawValue == method { return .found(route, values) }
            others.append(route.method.rawValue)
            if route.method == .get { others.append("HEAD") }
        }
        return others.isEmpty ? .nothing : .otherMethods(others)
    }
}
