import CCurl

/// Hands letters to a mail server (SMTP); libcurl speaks it, too.
public struct MailClient: Sendable {
    private let handles = CurlHandles()
    private let server: String
    private let account: (user: String, password: String)?

    /// - Parameters:
    ///   - server: `smtp://host:port`, or `smtps://host:port` for TLS from the first byte. Over `smtp` letters are
    ///     sealed, too, wherever the server offers it (STARTTLS).
    ///   - account: who we are there; it is told over TLS only.
    public init(server: String, account: (user: String, password: String)? = nil) {
        HTTPBrokenPipes.ignore()
        self.server = server
        self.account = account
    }

    /// Hands over one letter, whole with its headers, lines ended by CR LF.
    ///
    /// - Returns: the server's last word: 250 when it was taken, 4xx if it may be later, 5xx if it never will be.
    /// - Throws: when there was no word about the letter to be had: nobody answered, or we are not let in.
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
            // Whoever could stand between us could take the offer away as well: what counts is that nobody reads along,
            // and a server in the same house has a certificate that it made itself.
            call.set(CURLOPT_USE_SSL, Int(CURLUSESSL_TRY.rawValue))
            call.set(CURLOPT_SSL_VERIFYPEER, 0)
            call.set(CURLOPT_SSL_VERIFYHOST, 0)
        }
        return try call.hand(over: letter, from: sender, to: recipient)
    }

    /// Nothing that could end a line, or be another address.
    private static func isAddress(_ text: String) -> Bool {
        text.utf8.contains(UInt8(ascii: "@")) && text.utf8.allSatisfy { $0 > 32 && $0 != 127 && $0 != 60 && $0 != 62 }
    }
}

extension CurlCall {
    /// What is left of a letter; libcurl fetches it bit by bit.
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
        // A word about the letter: to its addresses, or once all of it was read. Before that the server speaks of us
        // (its greeting, our password), which says nothing of what a later try will hear.
        guard code == CURLE_SEND_ERROR || source.rest.isEmpty, (400...599).contains(status) else { throw error(code) }
        return status
    }
}
