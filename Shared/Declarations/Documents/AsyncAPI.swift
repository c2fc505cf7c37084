public import JSON

/// The AsyncAPI 3 document of all events, from their declarations.
///
/// There is no published binding for ZeroMQ, so Furrow's own is specified here, under `x-zeromq`.
public enum AsyncAPI {
    /// Returns the document of these families.
    public static func document(of families: [Family]) -> JSONAny {
        let events = families.flatMap { family in
            family.events.map { event in
                (name: event.name(in: family), event: event, schema: JSONSchema.event(event, in: family))
            }
        }
        let reference = { (path: String) in JSONAny.object([("$ref", .string("#/\(path)"))]) }
        let messages = events.map { event in
            (
                event.name,
                JSONAny.object([
                    ("name", .string(event.name)), ("summary", .string(event.event.documentation)),
                    ("contentType", .string("application/cloudevents+json")),
                    ("payload", reference("components/schemas/\(event.name)")),
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
                                + "Others read it page by page over ZeroMQ; a message of the notification socket only names the newest position."
                        )
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
                            (
                                "messages",
                                .object(events.map { ($0.name, reference("components/messages/\($0.name)")) })
                            ),
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
                                .array(events.map { reference("channels/journal/messages/\($0.name)") })
                            ), ("bindings", .object([("x-zeromq", ZeroMQBinding.operation)])),
                        ])
                    )
                ])
            ),
            (
                "components",
                .object([
                    ("messages", .object(messages)),
                    ("schemas", .object(events.map { ($0.name, $0.schema) })),
                ])
            ),
        ])
    }
}
