extension Family {
    public static let journal = Family(
        "journal",
        "What a journal records about itself, beside its service's events: epochs, consumed feeds, seals, clocks.",
        records: [.parked, .retainedInterval]
    ) {
        EventType("epoch-began", "The first entry of an epoch, with the point from which it continues.") {
            Field("previous", .epoch.optional, "The previous epoch; nil for a journal's first epoch.")
            Field(
                "keptTo", .position,
                "The last position of the previous epoch that is still valid; 0 for the first epoch.")
            Field("keptHash", .text.optional, "The chain hash at `keptTo`, in hex.")
            Field("why", .text, "The reason, in words.")
        }
        EventType(
            "intake-taken", swift: "FeedConsumed",
            """
            A checkpoint event: the entries of a feed that a service consumed, in one commit with the events decided
            from them.
            """
        ) {
            Field("feed", .text, "The feed's name: an origin, or `hub`.")
            Field("epoch", .epoch, "The feed's epoch at `last`.")
            Field("first", .position, "The first consumed position.")
            Field("last", .position, "The last consumed position.")
            Field("hash", .text, "The feed's chain hash at `last`, in hex.")
            Field(
                "parked", .listUnlessEmpty(.record(.parked)),
                """
                The positions that were not applied, with reasons: events that could not be applied and events blocked
                behind them.
                """)
        }
        EventType(
            "parked-resolved",
            """
            The outcome of retrying or skipping a parked event, by an operator or because the event that blocked it is
            resolved.

            The event is now applied, skipped permanently, or parked because it cannot be applied either. The actor is
            the operator or the service.
            """
        ) {
            Field("feed", .text, "The feed's name.")
            Field("epoch", .epoch, "The feed's epoch.")
            Field("position", .position, "The parked event's position.")
            Field(
                "outcome", .text,
                """
                `retried`, `skipped` or `parked`. `parked`: it was blocked before, cannot be applied itself, and now
                blocks others.
                """)
            Field("reason", .text.optional, "Why the event was skipped or parked, if known.")
        }
        EventType(
            "follow-accepted",
            """
            An operator accepted that a subscribed journal continues from an earlier position, because it was restored
            from a backup. Events already consumed after that position remain, but belong to no current epoch of that
            journal.
            """
        ) {
            Field("feed", .text, "The feed's name.")
            Field("epoch", .epoch, "The epoch that was consumed last.")
            Field("keptTo", .position, "The position to which the feed was restored.")
            Field("keptHash", .text, "The feed's chain hash at `keptTo`, in hex.")
            Field("left", .integer, "The number of events that were consumed after `keptTo`.")
        }
        EventType(
            "clock-stepped",
            """
            The machine's clock was moved by more than a minute while the service ran, or set back while it was
            stopped.

            The event's time is by the new clock.
            """
        ) {
            Field("seconds", .number, "The size of the step in seconds; negative if the clock was set back.")
        }
        EventType(
            "clock-trusted",
            """
            A reading of the machine's clocks, with the time that is trusted independently of the wall clock.

            Old data is pruned by the trusted time alone. The rules are in `SensorIngest.TrustedClock`. If the
            operator accepted the wall clock, the operator is the event's actor.
            """
        ) {
            Field("wall", .instant, "The wall clock's time.")
            Field("boot", .text, "The identifier of the machine's boot from which `uptime` counts.")
            Field("uptime", .integer64, "Microseconds since that boot, including sleep.")
            Field(
                "trusted", .instant,
                "A time that is certainly in the past: the last trusted time plus the running time since.")
            Field(
                "frozen", .number,
                """
                The remaining seconds of running time for which `trusted` does not advance, because the wall clock was
                moved.
                """)
        }
        EventType("seal-key-announced", "Announces the key that signs the journal's seals from this position on.") {
            Field("key", .text, "A verifier key of C2SP signed notes; its name is the origin's.")
        }
        EventType(
            "sealed", swift: "JournalSealed",
            """
            A run of the journal was sealed in a segment: a signed file of its own. The file never changes; pruning
            replaces it by one without the pruned events (``JournalPruned``).
            """
        ) {
            Field("first", .position, "The segment's first position.")
            Field("last", .position, "The segment's last position.")
            Field("hash", .text, "The chain hash at `last`, in hex.")
            Field("root", .text, "The Merkle root over the segment's events (RFC 6962), in hex.")
            Field("file", .text, "SHA-256 of the segment file, in hex.")
            Field(
                "note", .text,
                """
                The signed note at the start of the file. It states the fields above, the key, and the SHA-256 of
                every block.
                """)
        }
        EventType(
            "pruned", swift: "JournalPruned", isChecked: true,
            """
            Old raw reports of a sealed segment were pruned. Their hashes remain in the chain, and the segment's root
            and signature are still those of its `JournalSealed`. All other events of the segment are unchanged.

            It is also recorded for a segment in which nothing could be pruned, because segments are examined in
            order.
            """
        ) {
            Field("first", .position, "The segment's first position, as it was sealed.")
            Field("last", .position, "The segment's last position, as it was sealed.")
            Field(
                "pruned", .text,
                "The pruned positions as a bit set in base64. The most significant bit of the first byte is `first`.")
            Field("from", .instant.optional, "The time of the earliest pruned event; nil if nothing was pruned.")
            Field("to", .instant.optional, "The time of the latest pruned event; nil if nothing was pruned.")
            Field("kept", .list(of: .record(.retainedInterval)), "The intervals in which old reports were retained.")
            Field(
                "note", .text.optional,
                """
                The signed note at the start of the replaced segment file, with the same root; nil if nothing was
                pruned.
                """)
        }
        EventType(
            "witness-asked", swift: "WitnessRequested",
            """
            The hub requests its subscribers to record its signed checkpoint, so that its history cannot be rewritten
            unnoticed.
            """
        ) {
            Field("checkpoint", .text, "The hub's newest signed checkpoint, a C2SP signed note.")
        }
        EventType(
            "checkpoint-witnessed",
            """
            The chain hash of another journal at a position, as this service read it. The hash covers everything
            before it.
            """
        ) {
            Field("feed", .text, "The name of the witnessed feed.")
            Field("epoch", .epoch, "The feed's epoch at `position`.")
            Field("position", .position, "The position in the feed.")
            Field("hash", .text, "The feed's chain hash at `position`, computed from its beginning, in hex.")
            Field("checkpoint", .text, "The signed checkpoint of the request.")
        }
    }
}

extension RecordType {
    static let parked = RecordType(
        "Parked",
        "A consumed event that was not applied: it could not be, or an earlier event of its stream is parked."
    ) {
        Field("position", .position, "The event's position in its feed.")
        Field("reason", .text, "Why it was not applied.")
        Field(
            "behind", .position.optional,
            "The parked event of the same stream that blocks this one; nil if this event itself could not be applied.")
    }
}

extension RecordType {
    static let retainedInterval = RecordType(
        "RetainedInterval",
        "A time interval in which the reports of a place are part of a lot's story and must be retained."
    ) {
        Field("place", .place, "The place at which the reports were measured.")
        Field("from", .instant, "The start of the interval.")
        Field("to", .instant, "The end of the interval.")
    }
}
