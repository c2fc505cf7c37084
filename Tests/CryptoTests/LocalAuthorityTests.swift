import Crypto
import Foundation
import Testing

@Suite("A farm's certificate authority")
struct LocalAuthorityTests {
    static let now: Int64 = 1_780_000_000

    @Test func `a farm's authority is valid for ten years and signs its own certificate`() throws {
        let authority = try LocalAuthority.create(name: "Hill Farm", now: Self.now)
        #expect(authority.certificate.isSigned(by: authority.certificate))
        #expect(authority.certificate.notBefore == Self.now - 3_600)
        #expect(authority.certificate.expiry == Self.now + 3_653 * 86_400)
    }

    @Test func `a farm's authority is restored from PEM with its own key only`() throws {
        let authority = try LocalAuthority.create(name: "Hill Farm", now: Self.now)
        let keyPEM = try authority.key.pem()
        let copy = try LocalAuthority(certificatePEM: authority.certificate.pem, keyPEM: keyPEM)
        #expect(copy.certificate == authority.certificate)
        #expect(copy.key.scalar == authority.key.scalar)
        let other = try P256Key.generate().pem()
        #expect(throws: CryptoError.self) {
            try LocalAuthority(certificatePEM: authority.certificate.pem, keyPEM: other)
        }
        let server = try authority.issue(names: ["farm.test"], addresses: [], now: Self.now)
        #expect(throws: CryptoError.self) {
            try LocalAuthority(certificatePEM: server.certificate.pem, keyPEM: server.keyPEM())
        }
    }

    @Test func `an authority issues certificates for names and addresses, valid for 397 days`() throws {
        let authority = try LocalAuthority.create(name: "Hill Farm", now: Self.now)
        let server = try copyThroughPEM(authority).issue(
            names: ["farm.test", "*.farm.test"], addresses: ["192.168.1.10", "fd00::1"], now: Self.now)
        let certificate = server.certificate
        #expect(certificate.isSigned(by: authority.certificate))
        #expect(!authority.certificate.isSigned(by: certificate))
        #expect(server.expiry - certificate.notBefore == 397 * 86_400)
        for host in ["farm.test", "FARM.test", "api.farm.test", "192.168.1.10", "fd00::1"] {
            #expect(certificate.covers(host), "\(host)")
        }
        for host in ["", "farm", "other.test", "a.b.farm.test", "192.168.1.11", "fd00::2", "farm.test\0.evil"] {
            #expect(!certificate.covers(host), "\(host)")
        }
        #expect(try Certificate(pem: server.chainPEM) == certificate)
        #expect(try Certificate(der: certificate.der) == certificate)
        #expect(certificate.fingerprint == SHA256.hash(certificate.der))
        #expect(try P256Key(pem: server.keyPEM()).publicKey == server.key.publicKey)
    }

    @Test func `an issued certificate never outlasts its authority`() throws {
        let authority = try LocalAuthority.create(name: "Hill Farm", now: Self.now)
        let late = authority.certificate.expiry - 86_400
        #expect(
            try authority.issue(names: ["farm.test"], addresses: [], now: late).expiry == authority.certificate.expiry)
        #expect(throws: CryptoError.self) {
            try authority.issue(names: ["farm.test"], addresses: [], now: authority.certificate.expiry)
        }
        for days in [0, 398] {
            #expect(throws: CryptoError.self) {
                try authority.issue(names: ["farm.test"], addresses: [], now: Self.now, days: days)
            }
        }
    }

    @Test func `an authority refuses malformed names and addresses`() throws {
        let authority = try LocalAuthority.create(name: "Hill Farm", now: Self.now)
        let names = [
            "", ".", "farm.", ".farm", "a b", "farm.test,DNS:bank.example", "farm:test", "*", "*.test", "a.*.test",
            "-a.test", "a-.test", "täst.test", "a\0.test", String(repeating: "a", count: 64) + ".test",
        ]
        for name in names {
            #expect(throws: CryptoError.self, "\(name)") {
                try authority.issue(names: [name], addresses: [], now: Self.now)
            }
        }
        for address in ["", "1.2.3", "1.2.3.4,DNS:bank.example", "1.2.3.256", "fd00::1::2", "farm.test", "1.2.3.4/8"] {
            #expect(throws: CryptoError.self, "\(address)") {
                try authority.issue(names: [], addresses: [address], now: Self.now)
            }
        }
        let many = (0...CryptoLimits.certificateNames).map { "n\($0).test" }
        #expect(throws: CryptoError.self) { try authority.issue(names: many, addresses: [], now: Self.now) }
        #expect(throws: CryptoError.self) { try authority.issue(names: [], addresses: [], now: Self.now) }
        for name in ["", String(repeating: "x", count: 65)] {
            #expect(throws: CryptoError.self) { try LocalAuthority.create(name: name, now: Self.now) }
        }
    }

    @Test func `a text that is no certificate cannot be read`() throws {
        let authority = try LocalAuthority.create(name: "Hill Farm", now: Self.now)
        let der = authority.certificate.der
        for bytes in [[], Array(der.dropLast()), der + [0]] {
            #expect(throws: CryptoError.self) { try Certificate(der: bytes) }
        }
        for text in ["", "tomato", String(repeating: "x", count: 70_000)] {
            #expect(throws: CryptoError.self) { try Certificate(pem: text) }
        }
    }

    @Test func `the openssl command accepts the issued certificates`() throws {
        let now = Int64(Date().timeIntervalSince1970)
        let authority = try LocalAuthority.create(name: "Höhenhof", now: now)
        let server = try authority.issue(names: ["farm.test"], addresses: ["127.0.0.1"], now: now)
        try withFolder { folder in
            let root = folder.appending(path: "root.pem").path
            let leaf = folder.appending(path: "leaf.pem").path
            try authority.certificate.pem.write(toFile: root, atomically: true, encoding: .utf8)
            try server.certificate.pem.write(toFile: leaf, atomically: true, encoding: .utf8)
            let common = ["verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", root]
            guard let good = try run("openssl", common + ["-verify_hostname", "farm.test", leaf]) else { return }
            #expect(good.status == 0, "\(good.output)")
            #expect(try run("openssl", common + ["-verify_ip", "127.0.0.1", leaf])?.status == 0)
            #expect(try run("openssl", common + ["-verify_hostname", "bank.example", leaf])?.status != 0)
            let text = try #require(try run("openssl", ["x509", "-in", leaf, "-noout", "-text"])).output
            for line in ["CA:FALSE", "TLS Web Server Authentication", "DNS:farm.test, IP Address:127.0.0.1"] {
                #expect(text.contains(line), "\(line)")
            }
        }
    }

    @Test func `an authority certifies private names and the farm's own, and openssl refuses all others`() throws {
        let now = Int64(Date().timeIntervalSince1970)
        let authority = try LocalAuthority.create(
            name: "Hill Farm", now: now, names: ["hill-farm.example", "pi"], addresses: ["203.0.113.7", "2001:db8::7"])
        let permitted = [
            "hill-farm.example", "shop.hill-farm.example", "pi", "pi.local", "localhost", "box.lan", "192.168.1.10",
            "10.1.2.3", "fd12::3", "203.0.113.7", "2001:db8::7", "127.0.0.1",
        ]
        let forbidden = [
            "bank.example", "example", "hill-farm.example.org", "pi2", "203.0.113.8", "8.8.8.8", "2001:db8::8",
            "172.32.0.1", "www.google.com",
        ]
        try withFolder { folder in
            let root = folder.appending(path: "root.pem").path
            try authority.certificate.pem.write(toFile: root, atomically: true, encoding: .utf8)
            var counts = (accepted: 0, refused: 0)
            for subject in permitted + forbidden {
                let isAddress = LocalAuthority.isAddress(subject)
                let (names, addresses) = isAddress ? ([], [subject]) : ([subject], [])
                let expected = permitted.contains(subject)
                #expect(
                    try authority.permits(names: names, addresses: addresses, now: now) == expected, "\(subject)")
                // The key's holder can sign anything; the phone refuses it.
                let server = try authority.issue(names: names, addresses: addresses, now: now)
                let leaf = folder.appending(path: "leaf.pem").path
                try server.certificate.pem.write(toFile: leaf, atomically: true, encoding: .utf8)
                let words = ["verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", root, leaf]
                guard let done = try run("openssl", words) else { return }
                #expect((done.status == 0) == expected, "\(subject): \(done.output)")
                if done.status == 0 { counts.accepted += 1 } else { counts.refused += 1 }
            }
            print("authority: openssl accepted \(counts.accepted) names and refused \(counts.refused)")
            #expect(counts == (permitted.count, forbidden.count))
        }
    }

    private func copyThroughPEM(_ authority: LocalAuthority) throws -> LocalAuthority {
        try LocalAuthority(certificatePEM: authority.certificate.pem, keyPEM: authority.key.pem())
    }
}
