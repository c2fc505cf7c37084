import HTTP
import JSON
import SQLite

/// Sign-in, sign-up and sign-out. While the farm is not reached, they cross a node, which cannot read them.
extension FarmClient {
    /// Signs in; changes made before the first sign-in are assigned to this person.
    ///
    /// - Throws: `signInNeeded` for a wrong e-mail or password, `unreachable`, `refused`.
    @discardableResult
    public func signIn(email: String, password: String) async throws(FarmClientError) -> FarmPerson {
        try await enter("/v1/sessions", [("email", email), ("password", password)], key: freshName())
    }

    /// Creates a buyer's account and signs in; safe to call again after a lost response.
    ///
    /// - Throws: `refused` if the e-mail has an account or the password is too short, `unreachable`.
    @discardableResult
    public func signUp(name: String, email: String, password: String) async throws(FarmClientError) -> FarmPerson {
        let fresh = freshName()
        let key = try kept { keep throws(SQLiteError) in
            let tried = try keep.fact(.signingUp)?.split(separator: " ", maxSplits: 1)
            if let tried, tried.count == 2, tried[1] == email { return String(tried[0]) }
            try keep.put(.signingUp, "\(fresh) \(email)")
            return fresh
        }
        let members = [("name", name), ("email", email), ("password", password)]
        let person = try await enter("/v1/buyers", members, key: key)
        let token = try session().token
        // The contact lets the staff who hand orders out see the buyer's name.
        _ = try await calls.apart { () throws(FarmClientError) in
            try Server.accepted(
                try self.personal(
                    "PUT", "/v1/me/contact", token: token, key: "\(key).name", body: Self.object([("name", name)])
                ).0)
        }
        try kept { keep throws(SQLiteError) in try keep.put(.signingUp, nil) }
        return person
    }

    /// Ends the session and deletes personal records; pending changes stay until the person signs in again.
    public func signOut() async throws(FarmClientError) {
        let token = try session().token
        do throws(FarmClientError) {
            _ = try await calls.apart { () throws(FarmClientError) in
                guard let token else { throw FarmClientError(.signInNeeded, "Nobody is signed in.") }
                let (response, _) = try self.personal("DELETE", "/v1/sessions/current", token: token, key: freshName())
                return try Server.accepted(response)
            }
        } catch {
            // The session has already ended on the server; only local data is left to delete.
            guard error.code == .signInNeeded else { throw error }
        }
        try kept { keep throws(SQLiteError) in
            try keep.put(.me, nil)
            try keep.put(.token, nil)
            try keep.dropRecords(FarmTable.personal)
        }
        tell()
    }

    private func enter(
        _ path: String, _ members: [(String, String)], key: String
    ) async throws(FarmClientError) -> FarmPerson {
        let body = Self.object(members)
        let response = try await calls.apart { () throws(FarmClientError) in
            try Server.accepted(try self.personal("POST", path, key: key, body: body).0)
        }
        let json = try Server.json(response.body)
        let cookie = response.headers.all("Set-Cookie").first { $0.firstRange(of: "furrow_session=") != nil }
        guard let token = cookie?.split(separator: ";").first?.split(separator: "=", maxSplits: 1).last,
            let person = read(json, { json throws(JSONError) in try FarmPerson(json) })
        else { throw FarmClientError(.unreachable, "The response is not from a farm server.") }
        try kept { keep throws(SQLiteError) in
            if try keep.me()?.person != person.person { try keep.dropRecords(FarmTable.personal) }
            try keep.put(.me, person.json)
            try keep.put(.token, String(token))
            try keep.adopt(person.person)
        }
        tell()
        occasions.tell()
        return person
    }

    private static func object(_ members: [(String, String)]) -> [UInt8] {
        Array(written { json in for (name, value) in members { json.field(name, value) } }.utf8)
    }
}
