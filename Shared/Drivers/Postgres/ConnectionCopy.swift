import CPostgres

extension Connection {
    /// Inserts rows with COPY … FROM STDIN: binary if every column's type has a cheap binary form, else as text.
    ///
    /// Inserts all rows or none. Names are quoted (`hub.entries` is table `entries` of schema `hub`). Values must match
    /// their column: an integer for `int2` has to fit it; text may be used for any type that the server can parse.
    public func copy(into table: String, columns: [String], rows: [[PGValue]]) throws(PostgresError) {
        guard !rows.isEmpty else { return }
        let target = table.split(separator: ".").map { Self.quoted(String($0)) }.joined(separator: ".")
        let list = columns.map(Self.quoted).joined(separator: ", ")
        let types = try self.types(of: list, in: target)
        let form = CopyForm(types: types)
        let options = form.isBinary ? "(FORMAT binary)" : "(FORMAT text)"
        let start = unsafe Reply(PQexec(handle, "COPY \(target) (\(list)) FROM STDIN \(options)"))
        guard start.status == PGRES_COPY_IN else {
            try checked(start, "copy")
            return
        }
        var failure: PostgresError?
        do throws(PostgresError) {
            try send(rows, form)
        } catch {
            failure = error
        }
        let ended = unsafe failure == nil ? PQputCopyEnd(handle, nil) : PQputCopyEnd(handle, "a row does not fit")
        if ended != 1 { failure = failure ?? lost("copy") }
        let reply = unsafe Reply(PQgetResult(handle))
        let refused = reply.isNothing ? lost("copy") : reply.error("copy", fallback: { lastMessage })
        drain()
        if let error = failure ?? refused { throw error }
    }

    private func types(of list: String, in target: String) throws(PostgresError) -> [UInt32] {
        let sql = "SELECT \(list) FROM \(target) LIMIT 0"
        return try checked(unsafe Reply(PQexec(handle, sql)), "copy").columnTypes
    }

    private func send(_ rows: [[PGValue]], _ form: CopyForm) throws(PostgresError) {
        var buffer = form.opening
        for row in rows {
            try form.append(row, to: &buffer)
            if buffer.count >= PostgresLimits.copyChunkBytes { try put(&buffer) }
        }
        buffer.append(contentsOf: form.closing)
        try put(&buffer)
    }

    private func put(_ buffer: inout [UInt8]) throws(PostgresError) {
        let sent = unsafe buffer.withUnsafeBytes { bytes in
            unsafe PQputCopyData(handle, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
        }
        guard sent == 1 else { throw lost("copy") }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Returns an identifier in double quotes (PostgreSQL, 4.1.1).
    static func quoted(_ name: String) -> String {
        "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
