import Crypto
import HTTP
import JSON
import Testing
import Vocabulary

@testable import SyncGateway

@Suite("The bytes of webhooks and pushes")
struct ChannelFormatTests {
    private func bytes(_ text: String) throws -> [UInt8] { try #require(BaseEncoding.base64url.decode(text)) }

    /// RFC 8291, section 5, with the keys and the salt of its example.
    @Test func `a push message is encrypted to the bytes of RFC 8291`() throws {
        let subscription = PushSubscription(
            endpoint: "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV",
            publicKey: try bytes(
                "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"),
            secret: try bytes("BTBZMqHH6r4Tts7J_aSIgg"))
        let key = try P256Key(scalar: try bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
        let body = try PushEncryption.encrypt(
            Array("When I grow up, I want to be a watermelon".utf8), for: subscription, using: key,
            salt: try bytes("DGv6ra1nlYgDCS1FRnbzlw"))
        #expect(
            BaseEncoding.base64url.encode(body)
                == "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6Tlz"
                + "AC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN")
        let other = try PushEncryption.encrypt(Array("twice".utf8), for: subscription)
        #expect(try other != PushEncryption.encrypt(Array("twice".utf8), for: subscription), "a new key and salt each")
    }

    /// The example of the Standard Webhooks reference libraries.
    @Test func `a webhook is signed as the reference libraries sign`() throws {
        let secret = try #require(BaseEncoding.base64.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let sent = ChannelSender.webhook(
            Array("{\"test\": 2432232314}".utf8), id: "msg_p5jXN8AQM9LWM0D4loKWxJek", to: "https://hooks.example/",
            secret: secret, at: Instant(microseconds: 1_614_265_330_900_000))
        let headers = HTTPHeaders(sent.headers)
        #expect(headers["webhook-timestamp"] == "1614265330")
        #expect(headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test func `a push names the farm by a token for the service's origin, and the notification by its topic`() throws {
        let key = P256Key.generate()
        let browser = P256Key.generate()
        let subscription = PushSubscription(
            endpoint: "https://push.example:8443/send/abc?x=1", publicKey: browser.publicKey,
            secret: [UInt8](repeating: 3, count: 16))
        let now = Instant(microseconds: 1_777_792_500_000_000)
        let sent = try ChannelSender(contact: "mailto:farm@example.org").push(
            Array("{}".utf8), id: UUID(bytes: [9]), to: subscription, by: key, at: now)
        let headers = HTTPHeaders(sent.headers)
        #expect(headers["Urgency"] == "high" && headers["TTL"] == "14400" && headers["Content-Encoding"] == "aes128gcm")
        #expect(headers["Topic"] == "CQAAAAAAAAAAAAAAAAAAAA")
        let authorization = try #require(headers["Authorization"])
        #expect(authorization.hasSuffix(", k=\(BaseEncoding.base64url.encode(key.publicKey))"))
        let token = try #require(authorization.dropFirst("vapid t=".count).split(separator: ",").first)
        let parts = token.split(separator: ".").map(String.init)
        let claims = try JSONValue.parse(try bytes(parts[1]))
        #expect(try claims.get("aud", as: String.self) == "https://push.example:8443")
        #expect(try claims.get("sub", as: String.self) == "mailto:farm@example.org")
        #expect(try claims.get("exp", as: Int64.self) == 1_777_792_500 + 12 * 3600)
        #expect(
            P256Key.verify(
                signature: try bytes(parts[2]), message: Array("\(parts[0]).\(parts[1])".utf8),
                publicKey: key.publicKey))
    }
}
