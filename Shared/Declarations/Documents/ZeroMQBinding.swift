import JSON

/// The specification of Furrow's feeds over ZeroMQ, for clients in other programs.
enum ZeroMQBinding {
    static let version = "1"

    static let channel: JSONAny = .object([
        ("bindingVersion", .string(version)),
        ("transports", .array([.string("ipc"), .string("tcp")])),
        ("binds", .string("ROUTER")),
        ("connects", .string("DEALER")),
        (
            "security",
            .string("ipc: the folder's mode; tcp: CURVE with a ZAP allow-list, and nothing without the allow-list.")
        ),
        (
            "frames",
            .array([
                .string(
                    "head, 9 bytes: version (upper 4 bits, now 1) and kind (lower 4 bits), request number (big endian)"),
                .string("header: JSON of at most 4096 bytes"),
                .string("payload: empty but for a page"),
            ])
        ),
        (
            "kinds",
            .object([
                ("hello", .integer(1)), ("ring", .integer(2)), ("pageAsked", .integer(3)), ("page", .integer(4)),
                ("refused", .integer(5)), ("asked", .integer(6)), ("answered", .integer(7)),
            ])
        ),
        (
            "page",
            .string(
                "For each entry: length (4 bytes, big endian), hash (32 bytes), and the event's own bytes; "
                    + "hash(n) = SHA-256(hash(n-1) + bytes(n)), hash(0) = SHA-256(feed + epoch). "
                    + "If the request has zstd: true, all of it is one frame of RFC 8878, and the header's zstd is its "
                    + "uncompressed size in bytes.")
        ),
    ])

    static let operation: JSONAny = .object([
        ("bindingVersion", .string(version)),
        (
            "pattern",
            .string(
                "pull: pageAsked{feed, after?, zstd?} is answered by page; a ring{feed, epoch, position, hash} says ask"
            )
        ),
        (
            "reader",
            .string(
                "Applies n+1 only after n; pulls a hole; ignores what it has; stops at another hash or an unknown epoch."
            )
        ),
        ("credit", .string("At most 4 pages of one feed are asked for and not yet taken.")),
    ])
}
