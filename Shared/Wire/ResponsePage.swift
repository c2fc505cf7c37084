public import JSON

/// A page of a list, as queries give it.
public struct ResponsePage<Item: JSONWritable>: JSONRecord {
    /// The items of the page.
    public var items: [Item]
    /// The `after` of the next page; nil on the last one.
    public var next: String?

    /// Creates a page.
    public init(_ items: [Item], next: String? = nil) {
        self.items = items
        self.next = next
    }

    /// Writes the members.
    public func write(fields json: inout JSONWriter) {
        json.member("items", items)
        json.member("next", ifPresent: next)
    }
}
