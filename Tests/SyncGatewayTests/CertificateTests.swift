import Crypto
import EventStore
import Foundation
import HTTP
import Host
import TestKit
import Testing
import Vault

@testable import SyncGateway

@Suite("The TLS certificate")
struct CertificateTests {
    static let now: Int64 = 1_780_000_000
    static let day: Int64 = 86_400

    @Test func `a certificate is reused until 30 days are left`() {
        let life = CertificateLife(begins: Self.now, ends: Self.now + 397 * Self.day)
        let due = Self.now + 367 * Self.day
        for (time, isServing) in [
            (Self.now, true), (due - 1, true), (due, true), (due + 1, false), (life.ends, false),
            (life.ends + Self.day, false), (Int64.max, false),
        ] {
            #expect(life.serves(at: time) == isServing, "\(time)")
            #expect(life.lasts(at: time) == isServing, "\(time)")
        }
        #expect(!life.serves(at: Self.now - 1), "it was made while the clock was ahead")
        #expect(life.lasts(at: 0), "a clock in the past takes no authority away")
    }

    @Test func `a certificate carries every name of the machine`() throws {
        let names = try CertificateNames(
            hostName: "Hill-Pi.lan.example", publicURL: "HTTPS://Farm.Example:8443/x?y",
            more: "farm.test, *.farm.test,192.168.1.10,FD00::1,localhost,farm.test")
        #expect(
            names.names == [
                "localhost", "hill-pi.lan.example", "hill-pi.local", "farm.example", "farm.test", "*.farm.test",
            ])
        #expect(names.addresses == ["127.0.0.1", "::1", "192.168.1.10", "fd00::1"])
        for name in ["localhost", "", "my_host", "a b"] {
            #expect(try CertificateNames(hostName: name).names == ["localhost"], "\(name)")
        }
        #expect(try CertificateNames(hostName: "hill.local").names == ["localhost", "hill.local"])
        #expect(try CertificateNames(hostName: "pi", publicURL: "http://127.0.0.1:8080").addresses.count == 2)
        #expect(try CertificateNames(hostName: "pi", publicURL: "no address").names.count == 3)
        for more in ["farm_test", ", ", "a b.test", "farm.test:8443", "https://farm.test", "bad..name"] {
            let refused = #expect(throws: SettingError.self, "\(more)") {
                try CertificateNames(hostName: "pi", more: more)
            }
            #expect(refused?.name == "FURROW_TLS_NAMES")
        }
        let many = (0..<80).map { "n\($0).test" }.joined(separator: ",")
        #expect(throws: SettingError.self) { try CertificateNames(hostName: "pi", more: many) }
    }

    @Test func `the host of a public URL is found`() {
        for (url, host) in [
            ("https://farm.example", "farm.example"), ("https://farm.example:8443/S1", "farm.example"),
            ("http://user:word@farm.example/", "farm.example"), ("https://[fd00::1]:8443/x", "fd00::1"),
            ("https://farm.example?x=a://b", "farm.example"), ("HTTPS://FARM.EXAMPLE#x", "FARM.EXAMPLE"),
        ] {
            #expect(CertificateNames.host(of: url) == host, "\(url)")
        }
        for url in ["", "farm.example", "https://", "https:///x", "https://[]"] {
            #expect(CertificateNames.host(of: url) == nil, "\(url)")
        }
    }

    @Test func `a certificate is reused until it nears expiry or its names change, and its authority longer`() throws {
        try withTemporaryDirectory { folder in
            let vault = try Vault(path: "\(folder)/vault.db")
            let names = try CertificateNames(hostName: "pi")
            func look(_ time: Int64, _ names: CertificateNames) throws -> (authority: Certificate, leaf: TLSIdentity) {
                let certificates = LocalCertificates(vault, at: time)
                let authority = try certificates.authority(title: "Hill Farm", for: names)
                return (authority.certificate, try certificates.identity(for: names, by: authority))
            }
            let first = try look(Self.now, names)
            let leaf = try Certificate(pem: first.leaf.certificatePEM)
            for host in ["localhost", "127.0.0.1", "::1", "pi", "pi.local"] { #expect(leaf.covers(host), "\(host)") }
            let same = try look(Self.now + 366 * Self.day, names)
            #expect(same.leaf.certificatePEM == first.leaf.certificatePEM && same.leaf.keyPEM == first.leaf.keyPEM)
            let renewed = try look(Self.now + 367 * Self.day, names)
            #expect(renewed.authority == first.authority)
            #expect(renewed.leaf.certificatePEM != first.leaf.certificatePEM)
            #expect(renewed.leaf.keyPEM != first.leaf.keyPEM)
            #expect(try Certificate(pem: renewed.leaf.certificatePEM).isSigned(by: first.authority))
            let more = try CertificateNames(hostName: "pi", more: "farm.test")
            let named = try look(Self.now + 367 * Self.day, more)
            #expect(named.leaf.certificatePEM != renewed.leaf.certificatePEM)
            #expect(try Certificate(pem: named.leaf.certificatePEM).covers("farm.test"))
            #expect(try look(0, more).authority == first.authority, "the clock is in the past")
            let late = try look(first.authority.expiry - 29 * Self.day, more)
            #expect(late.authority != first.authority, "the old one nears its expiry")
            #expect(try Certificate(pem: late.leaf.certificatePEM).isSigned(by: late.authority))
            // A container has another host name after each update; people installed the authority already.
            let moved = try look(Self.now, CertificateNames(hostName: "3f2a91", more: "192.168.7.9"))
            #expect(moved.authority == late.authority)
            let own = try Certificate(pem: moved.leaf.certificatePEM)
            #expect(own.covers("192.168.7.9") && own.covers("3f2a91.local") && !own.covers("3f2a91"))
            // A public name that the authority must not certify.
            let published = try look(
                Self.now, CertificateNames(hostName: "pi", publicURL: "https://hill-farm.example/"))
            #expect(published.authority != late.authority)
            #expect(try Certificate(pem: published.leaf.certificatePEM).covers("hill-farm.example"))
            #expect(try look(Self.now, CertificateNames(hostName: "pi")).authority == published.authority)
        }
    }

    @Test func `a client that trusts the authority file in the home completes a TLS handshake`() throws {
        try withTemporaryDirectory { folder in
            let vault = try Vault(path: "\(folder)/vault.db")
            let settings = Settings(environment: ["FURROW_HOME": folder, "FURROW_TLS_NAMES": "farm.test"])
            let now = Int64(Date().timeIntervalSince1970)
            let file = "\(folder)/\(Identity.authorityFile)"
            let identity = try Identity.find(settings, vault, at: now)
            let made = try Data(contentsOf: URL(fileURLWithPath: file))
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o644)
            let server = try HTTPServer(address: "127.0.0.1", port: 0, tls: identity) { exchange in
                exchange.respond(HTTPResponse(status: exchange.request.isSecure ? 200 : 500))
            }
            for host in ["127.0.0.1", "localhost"] {
                let url = "https://\(host):\(server.port)/"
                #expect(try HTTPClient(caFile: file).send("GET", url).status == 200)
                let stranger = #expect(throws: HTTPError.self) { try HTTPClient().send("GET", url) }
                #expect(stranger?.kind == .untrusted)
            }
            server.stop()
            let again = try Identity.find(settings, vault, at: now)
            #expect(again.certificatePEM == identity.certificatePEM)
            try FileManager.default.removeItem(atPath: file)
            _ = try Identity.find(settings, vault, at: now)
            #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == made, "it is written again")
        }
    }

    @Test func `the farm's own certificate is used if configured, and no authority is created`() throws {
        try withTemporaryDirectory { folder in
            let vault = try Vault(path: "\(folder)/vault.db")
            let own = try LocalAuthority.create(name: "Another", now: Self.now)
                .issue(names: ["farm.example"], addresses: [], now: Self.now)
            let (certificate, key) = ("\(folder)/cert.pem", "\(folder)/key.pem")
            try own.chainPEM.write(toFile: certificate, atomically: true, encoding: .utf8)
            try own.keyPEM().write(toFile: key, atomically: true, encoding: .utf8)
            let told = [
                "FURROW_HOME": folder, "FURROW_TLS_CERT": certificate, "FURROW_TLS_KEY": key,
            ]
            let identity = try Identity.find(Settings(environment: told), vault, at: Self.now)
            #expect(try identity.certificatePEM == own.chainPEM && identity.keyPEM == own.keyPEM())
            #expect(!FileManager.default.fileExists(atPath: "\(folder)/\(Identity.authorityFile)"))
            #expect(try vault.all(kind: "certificate").isEmpty)
            for (name, value) in [
                ("FURROW_TLS_CERT", ""), ("FURROW_TLS_KEY", ""), ("FURROW_TLS_CERT", "/nowhere"),
                ("FURROW_TLS_KEY", "/nowhere"), ("FURROW_TLS_CERT", key),
            ] {
                let wrong = told.merging([name: value]) { $1 }
                let refused = #expect(throws: SettingError.self) {
                    try Identity.find(Settings(environment: wrong), vault, at: Self.now)
                }
                #expect(refused?.name == name, "\(refused.map(\.description) ?? "")")
            }
        }
    }
}
