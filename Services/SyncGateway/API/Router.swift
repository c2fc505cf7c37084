/// Finds the route of a request.
enum Router {
    enum Match {
        case found(Route, [(name: String, value: String)])
        /// There is something, but not for this method.
        case otherMethods([String])
        case nothing
    }

    static func find(_ method: String, _ path: String) -> Match {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        var others: [String] = []
        for route in Routes.all {
            guard let values = route.path.match(Array(parts)) else { continue }
            if route.method.rawValue == method { return .found(route, values) }
            others.append(route.method.rawValue)
            if route.method == .get { others.append("HEAD") }
        }
        return others.isEmpty ? .nothing : .otherMethods(others)
    }
}
