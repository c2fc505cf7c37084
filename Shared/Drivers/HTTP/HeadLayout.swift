import CMicroHTTPD

/// The positions of the parts of a request's head in libmicrohttpd's buffer.
///
/// The library replaces each CR, LF and colon that ends a part by a NUL. Version 0.9.75 also ends a line at a bare LF,
/// joins folded lines, and reads a value up to its first NUL. The positions reveal each of these (RFC 9112, 2.2 and
/// 5.2).
@safe
struct HeadLayout {
    private struct Field {
        let name: Int
        let nameBytes: Int
        let value: Int
        let valueBytes: Int
    }

    private var places: [Field] = []
    private let method: Int
    private let methodBytes: Int
    private let path: Int
    private let version: Int
    private let versionBytes: Int
    private let headBytes: Int
    /// The header fields in their order.
    private(set) var fields: [(String, String)] = []

    /// Reads the layout; the texts are those passed to the access handler.
    init(
        of connection: OpaquePointer, method: UnsafePointer<CChar>, path: UnsafePointer<CChar>,
        version: UnsafePointer<CChar>
    ) {
        self.method = Int(bitPattern: method)
        methodBytes = unsafe String(cString: method).utf8.count
        self.path = Int(bitPattern: path)
        self.version = Int(bitPattern: version)
        versionBytes = unsafe String(cString: version).utf8.count
        headBytes = unsafe Int(mhd_shim_head_bytes(connection))
        unsafe withUnsafeMutablePointer(to: &self) { layout in
            _ = unsafe MHD_get_connection_values_n(
                connection, .HEADER_KIND,
                { context, _, name, nameBytes, value, valueBytes in
                    let layout = unsafe context?.assumingMemoryBound(to: HeadLayout.self)
                    unsafe layout?.pointee.add(
                        UnsafeRawBufferPointer(start: name, count: name == nil ? 0 : nameBytes),
                        UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueBytes))
                    return .YES
                }, layout)
        }
    }

    private mutating func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        unsafe fields.append((String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
        unsafe places.append(
            Field(
                name: name.baseAddress.map { Int(bitPattern: $0) } ?? 0, nameBytes: name.count,
                value: value.baseAddress.map { Int(bitPattern: $0) } ?? 0, valueBytes: value.count))
    }

    /// Returns whether request line, fields and empty line are adjacent, without extra bytes, each line ended by CRLF.
    func isExact(rawTarget: String) -> Bool {
        guard path == method + methodBytes + 1, version == path + rawTarget.utf8.count + 1 else { return false }
        var line = version + versionBytes + 2
        for field in places {
            let gap = field.name + field.nameBytes + 1
            guard field.name == line, field.value >= gap, field.value - gap <= headBytes else { return false }
            line = field.value + field.valueBytes + 2
        }
        return line + 2 == method + headBytes
    }
}
