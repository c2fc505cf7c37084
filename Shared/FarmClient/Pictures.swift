import Crypto
import HTTP
import JSON
import SQLite
import Sharing
import Synchronization
import Vocabulary

/// Pictures, identified and verified by the SHA-256 of their bytes.
extension FarmClient {
    /// Returns a picture that a record names: from memory, else from the device, else from the server.
    ///
    /// Simultaneous calls for one picture share one request.
    ///
    /// - Parameter sha256: 64 lower-case hexadecimal digits, such as a record's `thumbnail`, for lists (320
    ///   pixels and 30 kB at most), or `picture`.
    /// - Throws: `unreachable`: show something in its place; `missing`, `misuse`.
    public func picture(_ sha256: String) async throws(FarmClientError) -> [UInt8] {
        guard sha256.utf8.count == 64, Hex.decode(sha256) != nil, sha256 == sha256.lowercased() else {
            throw FarmClientError(.misuse, "A picture is named by 64 lower-case hexadecimal digits.")
        }
        if let bytes = pictureMemory.withLock({ $0.find(sha256) }) { return bytes }
        if let bytes = try kept({ keep throws(SQLiteError) in try keep.picture(sha256) }) {
            pictureMemory.withLock { $0.put(bytes, as: sha256) }
            return bytes
        }
        let fetching = pictures.withLock { pictures in
            if let fetching = pictures[sha256] { return fetching }
            let fetching = Task {
                let result = await self.fetched(sha256)
                self.pictures.withLock { pictures in pictures[sha256] = nil }
                return result
            }
            pictures[sha256] = fetching
            return fetching
        }
        return try await fetching.value.get()
    }

    private func fetched(_ sha256: String) async -> Result<[UInt8], FarmClientError> {
        do throws(FarmClientError) {
            return .success(try await fetch(sha256))
        } catch {
            return .failure(error)
        }
    }

    private func fetch(_ sha256: String) async throws(FarmClientError) -> [UInt8] {
        let bytes = try await bytes(of: sha256)
        guard bytes.count <= ClientLimits.pictureBytes, Hex.encode(SHA256.hash(bytes)) == sha256 else {
            throw FarmClientError(.missing, "The response is not the requested picture.")
        }
        try kept { keep throws(SQLiteError) in
            if try keep.pictures().count < ClientLimits.pictures { try keep.put(picture: sha256, bytes) }
        }
        pictureMemory.withLock { $0.put(bytes, as: sha256) }
        return bytes
    }

    /// Returns what the farm, a node or another client sends as a picture.
    private func bytes(of sha256: String) async throws(FarmClientError) -> [UInt8] {
        let target = "/media/\(sha256)"
        do throws(FarmClientError) {
            return try await calls.apart { () throws(FarmClientError) in
                try Server.accepted(try self.visit(target)).body
            }
        } catch {
            guard error.isAway else { throw error }
            if let found = await elsewhere(target, .node) { return found.body }
            if let found = await elsewhere(target, .client) { return found.body }
            throw error
        }
    }

    /// Fetches the missing pictures that records name, and deletes those that no record names any more.
    ///
    /// Returns how many could not be fetched.
    func fetchPictures() async throws(FarmClientError) -> Int {
        var (small, large): (Set<String>, Set<String>) = ([], [])
        for table in FarmTable.allCases {
            for record in try records(table) {
                if let name = record.text("thumbnail") { small.insert(name) }
                if let name = record.text("picture") { large.insert(name) }
            }
        }
        // The small copies come first: lists show them.
        let order = Array((small.sorted() + large.subtracting(small).sorted()).prefix(ClientLimits.pictures))
        let wanted = Set(order)
        let missing = try kept { keep throws(SQLiteError) in
            let here = try keep.pictures()
            for name in here where !wanted.contains(name) { try keep.drop(picture: name) }
            return wanted.subtracting(here)
        }
        var failed = 0
        let names = order.filter(missing.contains)
        for (index, name) in names.enumerated() {
            do throws(FarmClientError) {
                _ = try await picture(name)
            } catch {
                guard error.code != .store else { throw error }
                // The server is unreachable: further requests would only time out.
                if error.code == .unreachable { return failed + names.count - index }
                failed += 1
            }
        }
        return failed
    }
}
