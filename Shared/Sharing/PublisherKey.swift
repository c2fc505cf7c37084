package import JSON
import Vocabulary

/// The public key by which a farm signs its public responses, as the farm itself sends it.
package enum PublisherKey {
    /// The address of a farm's key.
    package static let target = "/v1/publisher-key"

    /// Returns the key in a response; nil for anything that is no key, such as the log-in page of a captive network.
    package static func read(_ body: [UInt8]) -> [UInt8]? {
        do throws(JSONError) {
            return read(try JSONValue.parse(body))
        } catch {
            return nil
        }
    }

    /// Returns the key of a JSON Web Key (RFC 8037), or nil if it is none of this kind.
    package static func read(_ json: JSONValue) -> [UInt8]? {
        do throws(JSONError) {
            guard try json.get("crv", as: String.self) == "Ed25519",
                let key = BaseEncoding.base64url.decode(try json.get("x", as: String.self)), key.count == 32
            else { return nil }
            return key
        } catch {
            return nil
        }
    }
}
