import Glibc

/// Ignores SIGPIPE, so that writing to a closed socket fails with an error instead of ending the process.
enum PostgresBrokenPipes {
    private static let ignored: Bool = {
        signal(SIGPIPE, SIG_IGN)
        return true
    }()

    static func ignore() { _ = ignored }
}
