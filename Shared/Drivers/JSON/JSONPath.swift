extension JSONValue {
    /// Keys and indices from the root to this value, joined by `/`.
    ///
    /// Computed by walking the tape from the root, so that reading costs nothing when there is no error.
    public var path: String {
        var steps: [String] = []
        var container = 1
        while container != index, let step = step(from: container) {
            steps.append(step.name)
            container = step.index
        }
        return steps.joined(separator: "/")
    }

    /// Returns the child of `container` that is, or contains, this value.
    private func step(from container: Int) -> (name: String, index: Int)? {
        let isObject = document.tag(at: container) == JSONDocument.Tag.object
        guard isObject || document.tag(at: container) == JSONDocument.Tag.array else { return nil }
        let end = document.end(of: container) - 1
        var place = container + 1
        var position = 0
        while place < end {
            let child = isObject ? place + 1 : place
            let next = document.end(of: child)
            if index < next { return (isObject ? document.string(at: place) : String(position), child) }
            place = next
            position += 1
        }
        return nil
    }
}
