/// Finds the route of a request.
enum Router {
    enum Match {
        case found(Route, [(name: String, value: String)])
        /// The path exists, but not with this method.
        case otherMethods([String])
        case nothing
    }

    static func find(_ method: String, _ path: String) -> Match {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        var others: [String] = []
        // A literal segment wins over a parameter: `/v1/orders/imports` is not an order.
        let fitting = Routes.all.compactMap { route in route.path.match(Array(parts)).map { (route, $0) } }
        let fewest = fitting.map { $0.1.count }.min()
        for (route, values) in fitting where values.count == fewest {
            if route.method.rawValue == method { return .found(route, values) }
            others.append(route.method.rawValue)
            if route.method == .get { others.append("HEAD") }
        }
        return others.isEmpty ? .nothing : .otherMethods(others)
    }
}
