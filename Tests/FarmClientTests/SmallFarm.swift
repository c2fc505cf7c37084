import Crypto
import EventSourcing
import Events
import HTTP
import JSON
import Synchronization
import TestKit
import Testing
import Vocabulary
import Wire

@testable import FarmClient

/// A minimal farm server on real sockets: it signs a log of passports, stores records, and handles idempotency keys.
///
/// `answers` receives every request first and may respond instead.
final class SmallFarm: Sendable {
    struct State: Sendable {
        var log = SignedLog()
        var sync =
            #"{"changes":{},"timestamp":1,"epoch":"e1","scope":"public","replace":false,"more":false,"payments":["at-pickup"],"me":null}"#
        var requests: [HTTPRequest] = []
        /// The key by which it signs public responses.
        let publisherKey = Ed25519Key.generate()
        let sealingKey = X25519Key.generate()
        /// The time of its signatures in seconds since 1970; nil for now.
        var signsAt: Int64?
        var pictures: [String: [UInt8]] = [:]
        /// The orders by the idempotency key of their request.
        var done: [String: String] = [:]
        var person: String?
        var answers: (@Sendable (HTTPRequest) -> HTTPResponse?)?
        /// Selects requests whose response is delayed until `release` is called; it is computed when they arrive.
        var holds: (@Sendable (HTTPRequest) -> Bool)?
    }

    let state = Mutex(State())
    private let server: Mutex<HTTPServer?> = Mutex(nil)
    let url: String

    init() throws {
        let door = Door()
        let server = try HTTPServer(address: "127.0.0.1", port: 0) { exchange in
            guard let farm = door.farm.withLock({ $0 }) else { return exchange.respond(HTTPResponse(status: 500)) }
            let response = farm.signed(farm.answer(exchange.request), exchange.request)
            if farm.state.withLock({ $0.holds?(exchange.request) }) == true {
                farm.held.withLock { $0.append((exchange, response)) }
            } else {
                exchange.respond(response)
            }
        }
        url = "http://127.0.0.1:\(server.port)"
        self.server.withLock { $0 = server }
        door.farm.withLock { $0 = self }
    }

    private final class Door: Sendable {
        let farm: Mutex<SmallFarm?> = Mutex(nil)
    }

    private let held = Mutex<[(HTTPExchange, HTTPResponse)]>([])

    /// Sends the delayed responses.
    func release() {
        set { $0.holds = nil }
        let late = held.withLock { held in
            defer { held = [] }
            return held
        }
        for (exchange, response) in late { exchange.respond(response) }
    }

    func close() { server.withLock { server in server?.stop() } }

    func set(_ change: @Sendable (inout State) -> Void) { state.withLock { change(&$0) } }

    var requests: [HTTPRequest] { state.withLock { $0.requests } }
    var log: SignedLog { state.withLock { $0.log } }

    /// Sets the response to the next pull.
    func tells(
        _ changes: String, at position: Int, epoch: String = "e1", scope: String = "public", all: Bool = false,
        more: Bool = false, me: String = "null"
    ) {
        set { state in
            state.sync = """
                {"changes":\(changes),"timestamp":\(position),"epoch":"\(epoch)","scope":"\(scope)","replace":\(all),\
                "more":\(more),"payments":["at-pickup"],"me":\(me)}
                """
        }
    }

    /// Signs a public response for those who request that, as the gateway does.
    private func signed(_ response: HTTPResponse, _ request: HTTPRequest) -> HTTPResponse {
        guard request.headers["Accept-Signature"] != nil, request.headers["Authorization"] == nil,
            response.status == 200
        else { return response }
        return sign(response, as: request.address)
    }

    /// Returns a response with the farm's signature for an address.
    func sign(_ response: HTTPResponse, as target: String) -> HTTPResponse {
        state.withLock { state in
            var response = response
            response.headers["Furrow-Cache-Control"] = "max-age=5, stale-while-revalidate=60, stale-if-error=604800"
            let fields = ResponseSignature.fields(
                of: ResponseSignature.Target(target), headers: response.headers.fields, body: response.body,
                key: state.publisherKey, created: state.signsAt ?? now().microseconds / 1_000_000)
            for (name, value) in fields { response.headers[name] = value }
            return response
        }
    }

    private func answer(_ request: HTTPRequest) -> HTTPResponse {
        state.withLock { state in
            state.requests.append(request)
            if let answer = state.answers?(request) { return answer }
            switch (request.method, request.path) {
            case ("GET", "/v1/sync"): return .json(state.sync)
            case ("POST", "/v1/sync"): return Self.settle(request, &state)
            case ("POST", "/v1/sessions"), ("POST", "/v1/buyers"):
                guard let person = state.person else { return .json(#"{"title":"no","detail":"Wrong."}"#, 401) }
                return .json(Self.me(person), 201, [("Set-Cookie", "furrow_session=token-of-\(person); Path=/")])
            case ("GET", "/ledger/keys"): return .json(state.log.keys)
            case ("GET", "/v1/publisher-key"):
                let x = BaseEncoding.base64url.encode(state.publisherKey.publicKey)
                return .json(#"{"kty":"OKP","crv":"Ed25519","x":"\#(x)"}"#)
            case ("GET", ObliviousHTTP.path):
                let key = ObliviousHTTP.PublicKey(identifier: 1, bytes: state.sealingKey.publicKey)
                return HTTPResponse(status: 200, type: ObliviousHTTP.keysType, body: key.configurations)
            case ("GET", let path) where path.hasPrefix("/media/"):
                guard let bytes = state.pictures[String(path.dropFirst(7))] else { return .json("{}", 404) }
                return HTTPResponse(status: 200, type: "image/jpeg", body: bytes)
            case ("GET", let path) where path.hasSuffix("/passport"):
                let lot = String(path.split(separator: "/")[2])
                let since = request.query.first { $0.name == "since" }.flatMap { UInt64($0.value) }
                return state.log.evidence(of: lot, since: since).map { .json($0) } ?? .json(#"{"title":"none"}"#, 404)
            default: return .json("{}", 200)
            }
        }
    }

    static func me(_ person: String) -> String {
        #"{"person":"\#(person)","name":"\#(person)","email":"\#(person)@buyers.test","role":"buyer"}"#
    }

    /// Applies a request with one change, as the client sends it; once for each idempotency key.
    private static func settle(_ request: HTTPRequest, _ state: inout State) -> HTTPResponse {
        let key = request.headers["Idempotency-Key"] ?? ""
        if state.done[key] == nil { state.done[key] = "order-\(state.done.count + 1)" }
        let order = state.done[key] ?? ""
        return .json(
            #"{"results":[{"table":"orders","id":"x","status":201,"answer":{"order":"\#(order)","state":"placed","lines":[],"total":{"minor":1,"currency":"EUR"}}}]}"#
        )
    }
}

/// A counter shared by tasks.
final class Count: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    func up() { count.withLock { $0 += 1 } }
}

extension HTTPResponse {
    static func json(_ text: String, _ status: Int = 200, _ more: [(String, String)] = []) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: HTTPHeaders([("Content-Type", "application/json")] + more), body: Array(text.utf8))
    }
}

/// A log with a signed checkpoint and one passport in each entry.
struct SignedLog: Sendable {
    static let hub = HubSigner.origin
    private let signers: [NoteSigner]
    let labelKey = P256Key.generate()
    var revoked: String?
    private(set) var entries: [(lot: String, entry: LedgerEntry, salt: [UInt8], event: [UInt8])] = []

    init() {
        guard let first = NoteSigner(name: Self.hub, Ed25519Key.generate()),
            let second = NoteSigner(name: Self.hub, P256Key.generate())
        else { preconditionFailure("\(Self.hub) names no signer") }
        signers = [first, second]
    }

    /// The GTIN on its labels.
    static let gtin: GTIN = {
        guard let gtin = GTIN.restricted(1) else { preconditionFailure("1 is no number for use on the farm") }
        return gtin
    }()

    func label(_ lot: String, serial: String? = nil) throws -> String {
        let path = "01/\(Self.gtin)/10/\(lot)" + (serial.map { "/21/\($0)" } ?? "")
        let signature = try labelKey.sign(Array("v1|https://id.gs1.org/\(path)|K001".utf8))
        return "https://farm.example/S1K001\(BaseEncoding.base32.encode(signature))/\(path)".uppercased()
    }

    mutating func issue(_ lot: String, _ product: String = "Tomatoes", gtin: String? = nil) throws {
        let position = Position(entries.count + 1)
        let lotID = LotID(lot)
        let origin = Origin(service: "trace-ledger", site: "farm", slot: 0)
        let time = Instant(microseconds: 1_700_000_000_000_000)
        let event = PassportIssued(
            lot: lotID, hubPosition: position,
            passport: .object([
                ("v", .integer(1)), ("lot", .string(lot)), ("gtin", .string(gtin ?? Self.gtin.digits)),
                ("product", .string(product)), ("farm", .object([("title", .string("Sonnhof"))])),
            ]))
        let envelope = Envelope(
            id: UUID(bytes: Random.bytes(16)), origin: origin, epoch: Epoch(7), position: position,
            name: PassportIssued.name, stream: "lot/\(lot)", version: 1, time: time, recorded: time, farm: nil,
            actor: .service("trace-ledger"), correlation: nil, causation: nil)
        put(lot, EnvelopeCodec.write(envelope, event))
    }

    mutating func put(_ lot: String, _ event: [UInt8], origin: String = "trace-ledger/farm-0") {
        let position = Position(entries.count + 1)
        let salt = Random.bytes(LedgerEntry.saltBytes)
        let entry = LedgerEntry(
            hub: position, origin: origin, epoch: Epoch(7), position: position,
            commitment: LedgerEntry.commitment(salt: salt, event: event))
        entries.append((lot, entry, salt, event))
    }

    mutating func forget(_ count: Int) { entries.removeLast(count) }

    /// Serves the entries from an index under another lot; the log is unchanged.
    mutating func rename(from index: Int, _ lot: String) {
        for index in index..<entries.count { entries[index].lot = lot }
    }

    private var tree: (MerkleTiles, [MerkleTile.Address: [UInt8]]) {
        var (tiles, kept) = (MerkleTiles(), [MerkleTile.Address: [UInt8]]())
        for (_, entry, _, _) in entries {
            tiles.append(leaf: entry.leaf)
        }
        for tile in tiles.takeChanged() {
            kept[MerkleTile.Address(level: tile.level, index: tile.index, width: tile.hashes.count / 32)] = tile.hashes
        }
        return (tiles, kept)
    }

    var keys: String {
        let revoked = revoked.map { #","revoked":{"at":"2026-01-01T00:00:00Z","reason":"\#($0)"}"# } ?? ""
        return """
            {"hub":"\(Self.hub)","checkpointKeys":[\
            {"type":"ed25519","name":"\(Self.hub)","vkey":"\(signers[0].key.vkey)"},\
            {"type":"p256","name":"\(Self.hub)","spki":"\(BaseEncoding.base64.encode(signers[1].key.publicKey))"}],\
            "labelKeys":[{"kid":"K001","publicKey":"\(BaseEncoding.base64url.encode(labelKey.publicKey))",\
            "since":"2025-01-01T00:00:00Z"\(revoked)}]}
            """
    }

    /// Returns the newest story of a lot; nil if there is none.
    func evidence(of lot: String, since: UInt64? = nil) -> String? {
        guard let index = entries.lastIndex(where: { $0.lot == lot }) else { return nil }
        let (_, entry, salt, event) = entries[index]
        let (tiles, kept) = tree
        let reader = MerkleTileReader<Never>(size: tiles.size) { address in kept[address] ?? [] }
        let checkpoint = LogCheckpoint(origin: Self.hub, size: tiles.size, root: tiles.root)
        guard let proof = reader.inclusion(of: UInt64(index)), let note = signed(checkpoint.text) else { return nil }
        var json = JSONWriter()
        json.object { json in
            json.field("hub", Self.hub)
            json.field("entry", String(decoding: entry.bytes, as: UTF8.self))
            json.field("salt", BaseEncoding.base64.encode(salt))
            json.field("bytes", BaseEncoding.base64.encode(event))
            json.field("index", index)
            json.field("size", tiles.size)
            json.field("proof", proof.map(BaseEncoding.base64.encode))
            json.field("checkpoint", note)
            let path = since.flatMap { reader.consistency(from: $0) }
            json.field("consistency", ifPresent: path?.map(BaseEncoding.base64.encode))
        }
        return String(decoding: json.bytes, as: UTF8.self)
    }

    func signed(_ text: String) -> String? {
        do {
            return try SignedNote(signing: text, with: signers).note
        } catch {
            return nil
        }
    }
}

/// Calls `body` with a farm and a client of it in a folder of its own.
func withClient(_ body: (SmallFarm, FarmClient, String) async throws -> Void) async throws {
    try await withTemporaryDirectory { folder in
        let farm = try SmallFarm()
        defer { farm.close() }
        try await body(farm, try FarmClient(server: farm.url, folder: folder), folder)
    }
}

/// Returns the code of the error that a client throws, and the failed check.
func code(_ body: () async throws -> Void) async -> String {
    do {
        try await body()
        return "done"
    } catch let error as FarmClientError {
        return error.code == .notBelieved ? error.reason ?? "" : error.code.description
    } catch {
        return "\(error)"
    }
}
