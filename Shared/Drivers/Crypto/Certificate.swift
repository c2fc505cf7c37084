import COpenSSL
import Glibc

/// An X.509 certificate, parsed once: its bytes and the fields that operators need.
public struct Certificate: Equatable, Sendable {
    /// The certificate in DER.
    public let der: [UInt8]
    /// The certificate in PEM.
    public let pem: String
    /// The start of its validity; seconds since 1970.
    public let notBefore: Int64
    /// The end of its validity; seconds since 1970.
    public let expiry: Int64

    /// Reads the first certificate of a PEM text.
    public init(pem: String) throws(CryptoError) {
        let operation = "certificate from PEM"
        let bio = try MemoryBIO.holding(Array(pem.utf8), operation: operation)
        try self.init(unsafe CertificateHandle(owning: PEM_read_bio_X509(bio.pointer, nil, nil, nil), operation))
    }

    /// Reads a certificate in DER, which must end where the bytes end.
    public init(der: [UInt8]) throws(CryptoError) {
        try self.init(CertificateHandle.reading(der))
        guard self.der == der else { throw CryptoError(operation: "certificate from DER", reason: "malformed") }
    }

    init(_ handle: borrowing CertificateHandle) throws(CryptoError) {
        let operation = "certificate"
        var start: UnsafeMutablePointer<UInt8>?
        let count = unsafe i2d_X509(handle.pointer, &start)
        der = try unsafe taking(start, count: Int(count), operation: operation)
        let bio = try MemoryBIO(operation: operation)
        guard unsafe PEM_write_bio_X509(bio.pointer, handle.pointer) == 1 else { throw CryptoError.openSSL(operation) }
        pem = String(decoding: bio.contents(), as: UTF8.self)
        notBefore = try unsafe Self.seconds(X509_get0_notBefore(handle.pointer))
        expiry = try unsafe Self.seconds(X509_get0_notAfter(handle.pointer))
    }

    /// SHA-256 of the DER bytes: what operators compare by eye; 32 bytes.
    public var fingerprint: [UInt8] {
        SHA256.hash(der)
    }

    /// Returns whether the issuer's key signed this certificate.
    ///
    /// Does not check dates, names or the issuer itself.
    public func isSigned(by issuer: Certificate) -> Bool {
        defer { ERR_clear_error() }
        do {
            let certificate = try CertificateHandle.reading(der)
            let authority = try CertificateHandle.reading(issuer.der)
            return unsafe X509_verify(certificate.pointer, X509_get0_pubkey(authority.pointer)) == 1
        } catch {
            return false
        }
    }

    /// Returns whether the certificate is valid for a DNS name or an address (RFC 6125).
    public func covers(_ host: String) -> Bool {
        defer { ERR_clear_error() }
        guard !host.isEmpty, host.utf8.count <= 253, !host.utf8.contains(0) else { return false }
        do {
            let certificate = try CertificateHandle.reading(der)
            return unsafe X509_check_host(certificate.pointer, host, host.utf8.count, 0, nil) == 1
                || X509_check_ip_asc(certificate.pointer, host, 0) == 1
        } catch {
            return false
        }
    }

    private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) throws(CryptoError) -> Int64 {
        var parts = unsafe tm()
        guard unsafe ASN1_TIME_to_tm(time, &parts) == 1 else { throw CryptoError.openSSL("certificate time") }
        return Int64(unsafe timegm(&parts))
    }
}

/// An OpenSSL certificate object, freed with this value.
@safe struct CertificateHandle: ~Copyable {
    let pointer: OpaquePointer

    init(owning pointer: OpaquePointer?, _ operation: String) throws(CryptoError) {
        guard let pointer = unsafe pointer else { throw CryptoError.openSSL(operation) }
        unsafe self.pointer = unsafe pointer
    }

    static func reading(_ der: [UInt8]) throws(CryptoError) -> CertificateHandle {
        let operation = "certificate from DER"
        guard der.count <= CryptoLimits.documentBytes else {
            throw CryptoError(operation: operation, reason: "too long")
        }
        let pointer = unsafe der.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var start = buffer.baseAddress
            return unsafe d2i_X509(nil, &start, buffer.count)
        }
        return try unsafe CertificateHandle(owning: pointer, operation)
    }

    deinit {
        unsafe X509_free(pointer)
    }
}
