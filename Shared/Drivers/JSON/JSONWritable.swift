/// A type that can be written as one JSON value.
public protocol JSONWritable {
    /// Writes exactly one value.
    func write(to json: inout JSONWriter)
}

/// A type that is written as a JSON object, or into an object that has other members, too.
public protocol JSONRecord: JSONWritable {
    /// Writes the members, without braces.
    func write(fields json: inout JSONWriter)
}

extension JSONRecord {
    /// Writes the record as a JSON object.
    public func write(to json: inout JSONWriter) { json.object { write(fields: &$0) } }
}

extension String: JSONWritable {
    public func write(to json: inout JSONWriter) { json.string(self) }
}

extension Bool: JSONWritable {
    public func write(to json: inout JSONWriter) { json.bool(self) }
}

extension Double: JSONWritable {
    public func write(to json: inout JSONWriter) { json.number(self) }
}

extension Int64: JSONWritable {
    public func write(to json: inout JSONWriter) { json.number(self) }
}

extension UInt64: JSONWritable {
    public func write(to json: inout JSONWriter) { json.number(self) }
}

extension Int: JSONWritable {
    public func write(to json: inout JSONWriter) { json.number(Int64(self)) }
}

extension Int32: JSONWritable {
    public func write(to json: inout JSONWriter) { json.number(Int64(self)) }
}

extension UInt32: JSONWritable {
    public func write(to json: inout JSONWriter) { json.number(UInt64(self)) }
}

extension UInt16: JSONWritable {
    public func write(to json: inout JSONWriter) { json.number(UInt64(self)) }
}

extension UInt8: JSONWritable {
    public func write(to json: inout JSONWriter) { json.number(UInt64(self)) }
}

extension Array: JSONWritable where Element: JSONWritable {
    public func write(to json: inout JSONWriter) {
        json.array { json in
            for element in self { element.write(to: &json) }
        }
    }
}

extension JSONWritable where Self: RawRepresentable, RawValue == String {
    public func write(to json: inout JSONWriter) { json.string(rawValue) }
}

extension JSONValue: JSONWritable {
    /// Writes the value again, with members in their order and duplicates; numbers and escapes may be written
    /// differently.
    public func write(to json: inout JSONWriter) {
        switch document.tag(at: index) {
        case JSONDocument.Tag.string: json.string(document.string(at: index))
        case JSONDocument.Tag.signed: json.number(Int64(bitPattern: document.number(at: index)))
        case JSONDocument.Tag.unsigned: json.number(document.number(at: index))
        case JSONDocument.Tag.double: json.number(Double(bitPattern: document.number(at: index)))
        case JSONDocument.Tag.true: json.bool(true)
        case JSONDocument.Tag.false: json.bool(false)
        case JSONDocument.Tag.array:
            json.array { json in
                for element in JSONArray(document: document, index: index) { element.write(to: &json) }
            }
        case JSONDocument.Tag.object:
            json.object { json in
                for (key, value) in JSONObject(document: document, index: index) { json.field(key, value) }
            }
        default: json.null()
        }
    }
}
