import Crypto
import Testing

@Suite("A password's hash")
struct PasswordHashTests {
    @Test func `knows the password and no other`() throws {
        let hash = try PasswordHash.make("tomàto 🍅")
        #expect(hash.hasPrefix("$argon2id$v=19$m=32768,t=2,p=1$"))
        #expect(PasswordHash.verify("tomàto 🍅", against: hash))
        #expect(!PasswordHash.verify("tomàto", against: hash))
        #expect(!PasswordHash.verify("", against: hash))
    }

    @Test func `is salted`() throws {
        #expect(try PasswordHash.make("tomato") != PasswordHash.make("tomato"))
    }

    /// From the test program of the reference implementation (P-H-C/phc-winner-argon2).
    @Test func `is verified when another program made it`() {
        let hash = "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
        #expect(PasswordHash.verify("password", against: hash))
        #expect(!PasswordHash.verify("Password", against: hash))
    }

    @Test func `is refused where it is none`() {
        for text in [
            "", "tomato", "$argon2id$", "$argon2id$v=19$m=32768,t=2,p=1$AAAA", String(repeating: "$", count: 500),
        ] {
            #expect(!PasswordHash.verify("tomato", against: text))
        }
    }

    @Test func `is not made of a password without end`() throws {
        let long = String(repeating: "x", count: CryptoLimits.passwordBytes)
        #expect(PasswordHash.verify(long, against: try PasswordHash.make(long)))
        #expect(throws: CryptoError.self) { try PasswordHash.make(long + "x") }
        #expect(!PasswordHash.verify(long + "x", against: try PasswordHash.make(long)))
    }
}
