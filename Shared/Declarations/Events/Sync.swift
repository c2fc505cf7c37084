extension Family {
    public static let sync = Family(
        "sync", "Accounts, access, outgoing messages, and the texts of the shop's start page.",
        records: [.sitePresentedSponsor],
        enums: [.accessChangedChange, .channelKind, .channelState, .role]
    ) {
        EventType("staff-enrolled", "A staff account was created; the person's data is in the vault.") {
            Field("person", .personID, "The person; their data is in a vault.")
            Field("role", .enumeration(.role), "The person's role.")
        }
        EventType("buyer-enrolled", "A buyer's account was created; the person's data is in the vault.") {
            Field("person", .personID, "The person; their data is in a vault.")
        }
        EventType("person-erased", "All personal data of a person was deleted.") {
            Field("person", .personID, "The person whose data was deleted.")
        }
        EventType("site-presented", "The texts and sponsors of the shop's start page were replaced.") {
            Field("title", .text.optional, "The heading of the start page; if omitted, a built-in one is shown.")
            Field("welcome", .text.optional, "The text below the heading; if omitted, a built-in one is shown.")
            Field("donate", .text.optional, "The address of the donation page, with its scheme.")
            Field(
                "sponsors", .list(of: .record(.sitePresentedSponsor)),
                "The sponsors, in the order in which they are shown.")
        }
        EventType("message-sent", "An outgoing message requested by an event was accepted by its receiver.") {
            Field("message", .uuid, "The id of the event that requested it, which was also its idempotency key.")
            Field("to", .text, "The receiver: `sandbox`, `mail`, `webhook`, `push`.")
        }
        EventType(
            "message-gave-up",
            "An outgoing message requested by an event failed: it was refused, or not accepted in time."
        ) {
            Field("message", .uuid, "The id of the event that requested it.")
            Field("to", .text, "The receiver: `sandbox`, `mail`, `webhook`, `push`.")
            Field("reason", .text, "Why it failed, in words.")
        }
        EventType(
            "message-withdrawn",
            "An outgoing message was not sent any more: what it is about was settled before a receiver accepted it."
        ) {
            Field("message", .uuid, "The id under which it would have been sent.")
            Field("to", .text, "The receiver: `mail`, `webhook`, `push`.")
            Field("reason", .text, "Why it was withdrawn, in words.")
        }
        EventType(
            "notification-channel-set",
            """
            A channel by which a person is notified of alarms was added, disabled or removed. Its address and keys are
            in the vault.
            """
        ) {
            Field("channel", .uuid, "The channel.")
            Field("person", .personID, "The person whom it reaches; their data is in a vault.")
            Field("kind", .enumeration(.channelKind), "The kind of the channel.")
            Field("state", .enumeration(.channelState), "The state of the channel from now on.")
        }
        EventType("promotion-notified", "The devices of these people are notified of a promotion.") {
            Field("promotion", .promotionID, "The promotion.")
            Field("people", .list(of: .personID), "The people; their data is in a vault.")
        }
        EventType(
            "server-trouble-raised",
            "A check of the farm server found something that has to be done at once; the people named are notified."
        ) {
            Field("check", .text, "What was checked: `backup`, `disk`, `running trace-ledger/farm-0`.")
            Field("said", .text, "What was found, in words.")
            Field("advice", .text.optional, "What to do; omitted if nothing can be done.")
            Field("people", .list(of: .personID), "The administrators.")
        }
        EventType("server-trouble-cleared", "What was raised is well again; the people named are notified.") {
            Field("check", .text, "What was checked.")
            Field("said", .text, "What had been found.")
            Field("raised", .instant, "When it was raised.")
            Field("people", .list(of: .personID), "The administrators.")
        }
        EventType(
            "access-changed",
            "Credentials were changed: a password, a reset link, sessions, a radio gateway's token, or a sensor's key."
        ) {
            Field("change", .enumeration(.accessChangedChange), "What was changed.")
            Field("person", .personID.optional, "The person whose access changed; nil for a radio gateway or sensor.")
            Field("gateway", .text.optional, "The radio gateway; nil for a person.")
            Field("device", .deviceID.optional, "The sensor whose key was changed. The key itself is in the vault.")
        }
        EventType(
            "sign-ins-counted",
            "The number of sign-ins to an account, and of refused attempts, within one minute."
        ) {
            Field(
                "person", .personID.optional,
                """
                The account's person; nil for addresses without an account, and for accounts beyond the limit of one
                minute.
                """)
            Field("done", .integer, "The number of successful sign-ins.")
            Field("refused", .integer, "The number of refused attempts: sign-ins, and changes with a wrong password.")
        }
    }
}

extension RecordType {
    static let sitePresentedSponsor = RecordType("SitePresented.Sponsor", "A sponsor of the farm.") {
        Field("name", .text, "The sponsor's name.")
        Field("website", .text.optional, "The sponsor's address on the web, with its scheme.")
    }
}

extension EnumType {
    static let accessChangedChange = EnumType(
        "AccessChanged.Change", "The kind of change.",
        [
            Case("password-changed", "The person changed their password, knowing the old one."),
            Case("password-reset", "A one-time link set the password."),
            Case("reset-requested", "The person requested a link by e-mail."),
            Case("reset-link-made", "The operator created a link with a command."),
            Case("sessions-ended", "A person ended sessions on other devices."),
            Case("gateway-admitted", "A radio gateway received a token."),
            Case("gateway-dismissed", "A radio gateway's token was revoked."),
            Case("device-key-set", "A person entered the key of a sensor that encrypts."),
            Case("device-key-removed", "A person removed the key of a sensor."),
        ])
}

extension EnumType {
    static let channelKind = EnumType(
        "ChannelKind", "A kind of channel by which a person is notified, beside e-mail.",
        [
            Case("webhook", "A signed request to an address that an administrator set."),
            Case("push", "A Web Push subscription of a browser."),
        ])
    static let channelState = EnumType(
        "ChannelState", "The state of a notification channel.",
        [
            Case("active", "It gets notifications."),
            Case("disabled", "Its receiver responded that it accepts no further messages."),
            Case("removed", "A person removed it, or its subscription ended."),
        ])
}

extension EnumType {
    static let role = EnumType(
        "Role", "A role, which determines a person's permissions on a farm.",
        [
            Case("administrator", "Manages accounts, keys and rules."),
            Case("grower", "Records activities on plots and with lots."),
            Case("auditor", "Reads everything, changes nothing."),
            Case("buyer", "Buys; sees own orders and public data."),
        ])
}
