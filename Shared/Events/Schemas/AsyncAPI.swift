public import EventSourcing
public import JSON

/// The AsyncAPI 3 document of all events, generated from the Swift types.
///
/// There is no published binding for ZeroMQ, so Furrow's own is specified here, under `x-zeromq`.
public enum AsyncAPI {
    /// Returns the document of these event types.
    public static func document(of types: [any Event.Type]) -> JSONAny {
        let reference = { (path: String) in JSONAny.object([("$ref", .string("#/\(path)"))]) }
        let messages = types.map { type in
            (
                type.name,
                JSONAny.object([
                    ("name", .string(type.name)),
                    ("contentType", .string("application/cloudevents+json")),
                    ("payload", reference("components/schemas/\(type.name)")),
                ])
            )
        }
        return .object([
            ("asyncapi", .string("3.0.0")),
            (
                "info",
                .object([
                    ("title", .string("Furrow's events")), ("version", .string("1.0.0")),
                    (
                        "description",
                        .string(
                            "Every service has a journal: events at positions 1, 2, 3 … without a gap, chained by SHA-256. "
                                + "Others read it page by page over ZeroMQ; rings only tell that there is more.")
                    ), ("license", .object([("name", .string("Apache-2.0"))])),
                ])
            ),
            ("defaultContentType", .string("application/cloudevents+json")),
            (
                "channels",
                .object([
                    (
                        "journal",
                        .object([
                            ("address", .string("{run}/{service}-{slot}.read")),
                            (
                                "description",
                                .string(
                                    "The reading door of a service: its journal, and at the ledger's also the feed `hub`."
                                )
                            ),
                            (
                                "parameters",
                                .object([
                                    (
                                        "run",
                                        .object([
                                            ("description", .string("The folder of sockets, or a numeric address."))
                                        ])
                                    ),
                                    ("service", .object([("description", .string("Such as trace-ledger."))])),
                                    (
                                        "slot",
                                        .object([("description", .string("0, 1, 2 … of the service's instances."))])
                                    ),
                                ])
                            ),
                            ("messages", .object(types.map { ($0.name, reference("components/messages/\($0.name)")) })),
                            ("bindings", .object([("x-zeromq", ZeroMQBinding.channel)])),
                        ])
                    )
                ])
            ),
            (
                "operations",
                .object([
                    (
                        "read",
                        .object([
                            ("action", .string("receive")), ("channel", reference("channels/journal")),
                            (
                                "messages",
                                .array(types.map { reference("channels/journal/messages/\($0.name)") })
                            ), ("bindings", .object([("x-zeromq", ZeroMQBinding.operation)])),
                        ])
                    )
                ])
            ),
            (
                "components",
                .object([
                    ("messages", .object(messages)),
                    ("schemas", .object(types.map { ($0.name, Schema.event($0)) })),
                ])
            ),
        ])
    }
}
