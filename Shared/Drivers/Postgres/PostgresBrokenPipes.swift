import Glibc

/// Writing to a closed socket is an error to read, not a signal to die of.
enum PostgresBrokenPipes {
    private static let ignored: Bool = {
        signal(SIGPIPE, SIG_IGN)
        return true
    }()

    static func ignore() { _ = ignored }
}
