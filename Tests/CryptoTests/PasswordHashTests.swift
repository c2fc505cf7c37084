import Crypto
import Testing

@Suite("Password hashes")
struct PasswordHashTests {
    @Test func `a password hash verifies its password and no other`() throws {
        let hash = try PasswordHash.make("tomàto 🍅")
        #expect(hash.hasPrefix("$argon2id$v=19$m=32768,t=2,p=1$"))
        #expect(PasswordHash.verify("tomàto 🍅", against: hash))
        #expect(!PasswordHash.verify("tomàto", against: hash))
        #expect(!PasswordHash.verify("", against: hash))
    }

    @Test func `two hashes of one password differ by their salt`() throws {
        #expect(try PasswordHash.make("tomato") != PasswordHash.make("tomato"))
    }

    /// From the test program of the reference implementation (P-H-C/phc-winner-argon2).
    @Test func `a hash made by the reference implementation is verified`() {
        let hash = "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
        #expect(PasswordHash.verify("password", against: hash))
        #expect(!PasswordHash.verify("Password", against: hash))
    }

    @Test func `a malformed hash verifies no password`() {
        for text in [
            "", "tomato", "$argon2id$", "$argon2id$v=19$m=32768,t=2,p=1$AAAA", String(repeating: "$", count: 500),
        ] {
            #expect(!PasswordHash.verify("tomato", against: text))
        }
    }

    @Test func `a password beyond the length limit is refused`() throws {
        let long = String(repeating: "x", count: CryptoLimits.passwordBytes)
        #expect(PasswordHash.verify(long, against: try PasswordHash.make(long)))
        #expect(throws: CryptoError.self) { try PasswordHash.make(long + "x") }
        #expect(!PasswordHash.verify(long + "x", against: try PasswordHash.make(long)))
    }
}
