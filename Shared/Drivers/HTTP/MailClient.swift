import CCurl

/// A client that submits e-mail to a mail server (SMTP), by libcurl.
///
/// ```
/// let mail = MailClient(server: "smtps://mail.example.com:465", account: (user, password))
/// let code = try mail.send(message, from: "farm@example.com", to: "buyer@example.com")
/// ```
public struct MailClient: Sendable {
    private let handles = CurlHandles()
    private let server: String
    private let account: (user: String, password: String)?

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - server: `smtp://host:port`, or `smtps://host:port` for TLS from the first byte.
    ///     Over `smtp`, too, the client uses TLS if the server offers it (STARTTLS).
    ///   - account: the credentials, which are sent over TLS only.
    public init(server: String, account: (user: String, password: String)? = nil) {
        HTTPBrokenPipes.ignore()
        self.server = server
        self.account = account
    }

    /// Submits one e-mail, complete with its headers, lines ended by CR LF.
    ///
    /// - Returns: the server's reply code: 250 if accepted, 4xx for a temporary and 5xx for a permanent failure.
    /// - Throws: if there is no reply about the e-mail: the server is unreachable or refuses the login.
    public func send(
        _ letter: [UInt8], from sender: String, to recipient: String, timeoutSeconds: Double = 30
    ) throws(HTTPError) -> Int {
        guard HTTPHeaders.isSendable("MAIL", server), [sender, recipient].allSatisfy(Self.isAddress) else {
            throw HTTPError(.requestUnusable, "the server or an address cannot be used")
        }
        let handle = try handles.take()
        defer { handles.giveBack(handle) }
        let call = CurlCall(handle)
        call.prepare(server, schemes: "smtp,smtps", timeoutSeconds: timeoutSeconds)
        if let account {
            call.set(CURLOPT_USERNAME, account.user)
            call.set(CURLOPT_PASSWORD, account.password)
            call.set(CURLOPT_USE_SSL, Int(CURLUSESSL_ALL.rawValue))
        } else if server.hasPrefix("smtp://") {
            // An attacker in between could remove the STARTTLS offer as well, so verifying adds nothing: TLS prevents
            // passive reading here. A server on the same machine often has a self-signed certificate.
            call.set(CURLOPT_USE_SSL, Int(CURLUSESSL_TRY.rawValue))
            call.set(CURLOPT_SSL_VERIFYPEER, 0)
            call.set(CURLOPT_SSL_VERIFYHOST, 0)
        }
        return try call.hand(over: letter, from: sender, to: recipient)
    }

    /// Returns whether the text has an `@` and no character that ends a line or an address.
    private static func isAddress(_ text: String) -> Bool {
        text.utf8.contains(UInt8(ascii: "@")) && text.utf8.allSatisfy { $0 > 32 && $0 != 127 && $0 != 60 && $0 != 62 }
    }
}

extension CurlCall {
    /// The unsent rest of an e-mail, which libcurl reads in pieces.
    private final class Source {
        var rest: ArraySlice<UInt8>

        init(_ bytes: [UInt8]) {
            rest = bytes[...]
        }
    }

    fileprivate func hand(
        over letter: [UInt8], from sender: String, to recipient: String
    ) throws(HTTPError) -> Int {
        let recipients = unsafe curl_shim_append(curl, nil, recipient)
        defer { unsafe curl_shim_free_list(curl, recipients) }
        set(CURLOPT_MAIL_FROM, sender)
        unsafe curl_shim_set_pointer(curl, handle, CURLOPT_MAIL_RCPT, recipients)
        set(CURLOPT_UPLOAD, 1)
        let source = Source(letter)
        let code = withExtendedLifetime(source) {
            let context = unsafe Unmanaged.passUnretained(source).toOpaque()
            unsafe curl_shim_set_pointer(curl, handle, CURLOPT_READDATA, context)
            unsafe curl_shim_set_sink(curl, handle, CURLOPT_READFUNCTION) { bytes, size, count, context in
                guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
                let source = unsafe Unmanaged<Source>.fromOpaque(context).takeUnretainedValue()
                let part = source.rest.prefix(size * count)
                source.rest = source.rest.dropFirst(part.count)
                unsafe UnsafeMutableRawBufferPointer(start: bytes, count: part.count).copyBytes(from: part)
                return part.count
            }
            return unsafe curl_shim_perform(curl, handle)
        }
        if code == CURLE_OK { return 250 }
        // The code concerns the e-mail if it answers the addresses or follows the last byte. An earlier reply (to the
        // greeting, to the login) concerns the session: a retry may succeed.
        guard code == CURLE_SEND_ERROR || source.rest.isEmpty, (400...599).contains(status) else { throw error(code) }
        return status
    }
}
