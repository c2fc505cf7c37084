import Crypto
import HTTP
import Sharing
import Vocabulary
import Wire

/// A message that a node carries to the farm, and what is needed to read the response to it.
struct SealedTicket: Equatable, Sendable {
    /// Where the node serves the farm.
    let node: String
    /// The path at the node.
    let location: String
    let responseKey: ObliviousHTTP.ResponseKey
}

/// Requests of a person, sent to the farm, or through a node so that only the farm can read them (RFC 9458).
extension FarmClient {
    /// What became of a request.
    enum Carried: Sendable {
        case answered(HTTPResponse, from: ContentSource)
        /// A node has stored it, and sends it when it has a network.
        case underway(SealedTicket)
    }

    /// Sends a person's request to the farm, or through a node that reaches it now; blocks.
    ///
    /// Returns the response, regardless of its status, and whom it came through.
    func personal(
        _ method: String, _ path: String, token: String? = nil, key: String? = nil, body: [UInt8]? = nil
    ) throws(FarmClientError) -> (HTTPResponse, ContentSource) {
        let carried = try carry(server.request(method, path, token: token, key: key, body: body), mayWait: false)
        guard case .answered(let response, let source) = carried else {
            throw FarmClientError(.unreachable, "The farm server does not answer.")
        }
        return (response, source)
    }

    /// Sends a request to the farm; if it is not reached, collects the response that a node has received, or gives the
    /// request to a node; blocks.
    ///
    /// - Parameters:
    ///   - mayWait: whether a node may store it until it has a network.
    ///   - ticket: the node that has it already.
    func carry(
        _ request: BinaryHTTP.Request, mayWait: Bool, ticket: SealedTicket? = nil
    ) throws(FarmClientError) -> Carried {
        let failure: FarmClientError
        if let shared, shared.isFarmAway, shared.hasNode {
            failure = FarmClientError(.unreachable, "The farm server was not reached.")
        } else {
            do throws(FarmClientError) {
                let response = try server.send(request, seconds: shared == nil ? nil : ClientLimits.sharingSeconds)
                shared?.noteFarm(isReached: true)
                return .answered(response, from: .farm)
            } catch {
                guard error.code == .unreachable, let shared else { throw error }
                shared.noteFarm(isReached: false)
                failure = error
            }
        }
        guard let shared else { throw failure }
        if let ticket, let carried = shared.collect(ticket) { return carried }
        guard let carried = try shared.carry(request, mayWait: mayWait) else { throw failure }
        return carried
    }
}

extension Neighbours {
    /// Whether a node is known that may be called now.
    var hasNode: Bool { !nodes.isEmpty }

    /// Gives a request to a node, encrypted to the farm. Returns nil if no node takes it, or the farm's key is unknown.
    func carry(_ request: BinaryHTTP.Request, mayWait: Bool) throws(FarmClientError) -> FarmClient.Carried? {
        refresh()
        for (peer, base) in nodes {
            for _ in 0..<2 {
                guard let key = sealingKey() else { return nil }
                let sealed: (message: [UInt8], response: ObliviousHTTP.ResponseKey)
                do throws(CryptoError) {
                    sealed = try ObliviousHTTP.seal(request, to: key, ephemeral: .generate())
                } catch {
                    throw FarmClientError(.store, "The request cannot be encrypted: \(error.reason)")
                }
                let sent = post(base + ObliviousHTTP.path, sealed.message, mayWait: mayWait)
                guard case .success(let response) = sent else { break }
                if response.status == 202, let location = response.headers["Location"],
                    location.hasPrefix("\(PeerIndex.prefix)/sealed/"), !location.contains("..")
                {
                    return .underway(SealedTicket(node: base, location: location, responseKey: sealed.response))
                }
                if let answer = open(response, sealed.response, of: peer) {
                    return .answered(answer, from: .node(peer))
                }
                // The farm has another key since, such as after a restore.
                guard response.status == 400 else { break }
                forgetSealingKey()
            }
        }
        return nil
    }

    /// Returns what became of a message that a node has; nil if the node has lost it, or is away.
    func collect(_ ticket: SealedTicket) -> FarmClient.Carried? {
        guard case .success(let response) = get(ticket.node + ticket.location) else { return nil }
        if response.status == 202 { return .underway(ticket) }
        return open(response, ticket.responseKey, of: ticket.node).map { .answered($0, from: .node(ticket.node)) }
    }

    /// Returns the farm's response in a node's response; nil for anything else. A node that sends a false one is
    /// avoided for a while.
    private func open(_ response: HTTPResponse, _ key: ObliviousHTTP.ResponseKey, of node: String) -> HTTPResponse? {
        guard response.status == 200, response.headers["Content-Type"] == ObliviousHTTP.responseType else { return nil }
        do throws(ObliviousHTTP.Refusal) {
            let inner = try key.open(response.body)
            return HTTPResponse(
                status: inner.status, headers: HTTPHeaders(inner.fields.map { ($0.name, $0.value) }), body: inner.body)
        } catch {
            avoid(node, error.reason)
            return nil
        }
    }
}
