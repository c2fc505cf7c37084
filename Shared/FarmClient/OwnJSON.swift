import JSON

/// Returns what `body` reads of a value; nil if the value is malformed.
func read<Value>(_ json: JSONValue, _ body: (JSONValue) throws(JSONError) -> Value?) -> Value? {
    do throws(JSONError) {
        return try body(json)
    } catch {
        return nil
    }
}

/// Returns what `body` reads of stored JSON; nil if it is malformed.
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

/// Returns a value as JSON.
func text(of value: some JSONWritable) -> String {
    var json = JSONWriter()
    value.write(to: &json)
    return String(decoding: json.bytes, as: UTF8.self)
}

/// Returns an object as JSON.
func written(_ members: (inout JSONWriter) -> Void) -> String {
    var json = JSONWriter()
    json.object(members)
    return String(decoding: json.bytes, as: UTF8.self)
}
