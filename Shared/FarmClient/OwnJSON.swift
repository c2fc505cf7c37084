import JSON

/// What a value tells; nil where it is not what was expected.
func read<Value>(_ json: JSONValue, _ body: (JSONValue) throws(JSONError) -> Value?) -> Value? {
    do throws(JSONError) {
        return try body(json)
    } catch {
        return nil
    }
}

/// What JSON that was kept here tells; nil for any other.
func read<Value>(_ text: String, _ body: (JSONValue) throws(JSONError) -> Value?) -> Value? {
    do throws(JSONError) {
        return read(try JSONValue.parse(text), body)
    } catch {
        return nil
    }
}

func parsed(_ text: String) -> JSONAny? {
    read(text) { json throws(JSONError) in try JSONAny(json: json) }
}

/// A value as JSON.
func text(of value: some JSONWritable) -> String {
    var json = JSONWriter()
    value.write(to: &json)
    return String(decoding: json.bytes, as: UTF8.self)
}

/// An object as JSON.
func written(_ members: (inout JSONWriter) -> Void) -> String {
    var json = JSONWriter()
    json.object(members)
    return String(decoding: json.bytes, as: UTF8.self)
}
