import COpenSSL

/// A certificate under construction, until it is signed (RFC 5280, version 3).
struct CertificateDraft: ~Copyable {
    private let handle: CertificateHandle
    private let operation: String

    init(operation: String) throws(CryptoError) {
        handle = try unsafe CertificateHandle(owning: X509_new(), operation)
        self.operation = operation
    }

    /// Sets version 3 and a random serial number of 127 bits.
    func setSerial() throws(CryptoError) {
        var serial = Random.bytes(16)
        serial[0] = serial[0] & 0x7F | 0x40
        let number = unsafe BN_bin2bn(serial, Int32(serial.count), nil)
        defer { unsafe BN_free(number) }
        try check(unsafe X509_set_version(handle.pointer, 2))
        guard unsafe BN_to_ASN1_INTEGER(number, X509_get_serialNumber(handle.pointer)) != nil else {
            throw CryptoError.openSSL(operation)
        }
    }

    /// Loads a finished certificate, so that it can be named as the issuer of another one.
    init(of certificate: Certificate, operation: String) throws(CryptoError) {
        handle = try CertificateHandle.reading(certificate.der)
        self.operation = operation
    }

    /// Sets the validity; both ends in seconds since 1970.
    func setValidity(from start: Int64, to end: Int64) throws(CryptoError) {
        guard unsafe ASN1_TIME_set(X509_getm_notBefore(handle.pointer), Int(start)) != nil,
            unsafe ASN1_TIME_set(X509_getm_notAfter(handle.pointer), Int(end)) != nil
        else { throw CryptoError.openSSL(operation) }
    }

    /// Sets the common name of the subject; 1 to 64 characters.
    func setSubject(_ name: String) throws(CryptoError) {
        let subject = unsafe X509_get_subject_name(handle.pointer)
        let text = Array(name.utf8)
        guard text.count <= CryptoLimits.documentBytes else {
            throw CryptoError(operation: operation, reason: "too long")
        }
        try check(
            unsafe X509_NAME_add_entry_by_NID(subject, NID_commonName, MBSTRING_UTF8, text, Int32(text.count), -1, 0))
    }

    func setIssuer(sameAs issuer: borrowing CertificateDraft) throws(CryptoError) {
        try check(unsafe X509_set_issuer_name(handle.pointer, X509_get_subject_name(issuer.handle.pointer)))
    }

    func setPublicKey(of key: P256Key) throws(CryptoError) {
        try check(unsafe X509_set_pubkey(handle.pointer, key.handle.pointer))
    }

    /// Adds an extension in OpenSSL's notation.
    func add(_ kind: Int32, _ value: String, issuer: borrowing CertificateDraft) throws(CryptoError) {
        var context = unsafe X509V3_CTX()
        unsafe X509V3_set_ctx(&context, issuer.handle.pointer, handle.pointer, nil, nil, 0)
        guard let item = unsafe X509V3_EXT_conf_nid(nil, &context, kind, value) else {
            throw CryptoError.openSSL(operation)
        }
        defer { unsafe X509_EXTENSION_free(item) }
        try check(unsafe X509_add_ext(handle.pointer, item, -1))
    }

    /// Returns whether the names of a certificate satisfy the name constraints of this one. One without constraints
    /// permits every name.
    func permitsNames(of certificate: Certificate) throws(CryptoError) -> Bool {
        let other = try CertificateHandle.reading(certificate.der)
        guard let found = unsafe X509_get_ext_d2i(handle.pointer, NID_name_constraints, nil, nil) else {
            ERR_clear_error()
            return true
        }
        // OpenSSL reads the names of a certificate when its extensions are first read.
        try check(unsafe X509_check_purpose(other.pointer, -1, 0))
        let constraints = OpaquePointer(found)
        defer { unsafe NAME_CONSTRAINTS_free(UnsafeMutablePointer(constraints)) }
        return unsafe NAME_CONSTRAINTS_check(other.pointer, UnsafeMutablePointer(constraints)) == X509_V_OK
    }

    func sign(with key: P256Key) throws(CryptoError) -> Certificate {
        try check(unsafe X509_sign(handle.pointer, key.handle.pointer, EVP_sha256()))
        return try Certificate(handle)
    }

    private func check(_ result: Int32) throws(CryptoError) {
        guard result > 0 else { throw CryptoError.openSSL(operation) }
    }
}
