/// All limits of the gateway.
enum GatewayLimits {
    /// Content codings of a request that are considered.
    static let codings = 16
    /// Snapshots that are stored for clients without data: one for each county.
    static let snapshots = 64
    /// Bytes of one request's body.
    static let bodyBytes = 512 * 1024
    /// Bytes of a photograph as a camera sends it. One of more than `bodyBytes` is stored smaller: its longest side in
    /// pixels.
    static let photographBytes = 12 << 20
    static let photographSide = 2048
    /// Seconds after which the time of a gateway's last post is stored again.
    static let contactSeconds = 600.0
    /// Bytes of an `Idempotency-Key`.
    static let keyBytes = 200
    /// Unknown names that are listed in a response, characters of each, and bytes of the list.
    static let unknownNames = 20
    static let nameShown = 60
    static let ignoredBytes = 1000
    /// The maximum size of one path or query parameter, in bytes.
    static let parameterBytes = 200
    /// Requests that wait for another service or a worker.
    static let pendingCalls = 4096
    /// Passwords that are hashed at once, each about 50 ms of one core and 32 MiB, and that wait for it: more than
    /// there are connections, so that a try that has arrived is checked.
    static let passwordsAtOnce = 2
    static let passwordsWaiting = 1024
    /// Label files that are drawn or wait for it.
    static let drawings = 16
    /// Reports of stocktakes that are read or drawn, bytes of the pictures in one, and its lines.
    static let reports = 4
    static let reportPictureBytes = 50 << 20
    static let reportLines = 20_000
    /// Bytes of a file that is sent by e-mail; mail servers usually take 25 MB in base64.
    static let attachedBytes = 15 << 20
    /// CSV files that are being sent.
    static let downloads = 16
    /// Seconds that another service may take before the outcome is treated as unknown.
    static let commandSeconds = 10.0
    static let querySeconds = 8.0
    static let statusSeconds = 3.0
    /// Commands with an unknown outcome that can be queried, and the bytes of their bodies.
    static let recentCommands = 256
    static let recentBytes = 4 << 20
    /// Batches of adverts whose slots are stored.
    static let batches = 1000
    /// Adverts of one batch.
    static let adverts = 2000
    /// Bytes of one advert's data.
    static let advertBytes = 1650
    /// Records that are read at once for a client, and changes in one response.
    static let syncRows = 500
    static let syncChanges = 5000
    /// Changes that a client sends at once.
    static let pushed = 100
    /// Sponsors on the start page.
    static let sponsors = 24
    /// Pictures that are read or written, or wait for it.
    static let pictures = 64
    /// The maximum size of all pictures together, in bytes; `FURROW_MEDIA_BYTES` overrides it.
    static let mediaBytes = 1 << 30
    /// Instances of sensor-ingest.
    static let slots = 64
    /// Ticks (100 ms) without a `hello` after which a slot gets no new batches.
    static let slotTicks: UInt64 = 35
    /// Ticks after which slot 0 takes over a slot's requests: longer than a restart, and than the hub needs to copy the
    /// slot's events.
    static let goneTicks: UInt64 = 200
    /// Ticks between two deletions of files of removed photographs, files of one, and the least age of a file in
    /// seconds.
    static let sweepTicks: UInt64 = 50
    static let sweptMedia = 500
    static let unusedMediaSeconds = 86_400.0
    /// Findings of one report about the farm server, and characters of each of their texts.
    static let serverFindings = 100
    static let findingCharacters = 400
    /// Readers of beacons, and ticks after which the list of one is old.
    static let readers = 256
    static let readerTicks: UInt64 = 120
    /// Outbox messages that are scanned in one tick, and those in flight to one recipient at once.
    static let messages = 256
    static let flyingMessages = 4
    /// Delivery attempts of a message, and ticks until the second attempt; the delay doubles each time, up to five
    /// minutes.
    static let ticksPerSecond: UInt64 = 10
    static let messageTries = 60
    static let messageTicks: UInt64 = 2
    static let messageTicksAtMost: UInt64 = 3000
    static let messageSeconds = 10.0
    /// Webhooks of the farm, and channels of one person: webhooks, and devices that get pushes.
    static let webhooks = 100
    static let channelsOfPerson = 20
    /// Messages about one alarm that wait, and finished ones about alarms that are listed.
    static let messagesOfAlarm = 1000
    static let deliveries = 200
    /// Bytes of the secret of a webhook (Standard Webhooks: 24 to 64).
    static let webhookSecretBytes = 32
    /// Bytes of the secret of a push subscription (RFC 8291).
    static let pushSecretBytes = 16
    /// Bytes of a push message before its encryption; push services accept 4,096 bytes after it (RFC 8030).
    static let pushBytes = 3_000
    /// Seconds for which a push service retains a message for a device that is not connected.
    static let pushSeconds = 4 * 3600
    /// Seconds for which the signature of a push request is valid; RFC 8292 allows 24 hours.
    static let pushTokenSeconds = 12 * 3600.0
    /// The longest time in seconds by which a receiver may delay the next attempt (`Retry-After`).
    static let retryAfterSeconds = 3600
    /// Threads that deliver to webhooks, and those that deliver to push services.
    static let channelThreads = 4
    /// Tests of channels that run or wait.
    static let channelTests = 8
    /// Failed messages that are listed; the newest are retained.
    static let givenUp = 200
    /// Seconds by which a payment provider's clock may differ from ours.
    static let noticeSeconds = 300.0
    /// Accounts of the staff, and sessions of one person; a further sign-in closes the least recently used session.
    static let accounts = 500
    static let sessionsOfPerson = 20
    /// Radio gateways, including those that were dismissed.
    static let gateways = 256
    /// The most sensors whose keys are stored.
    static let deviceKeys = 1000
    /// Accounts of buyers.
    static let buyers = 20_000
    /// Sign-ups from one network within `triesSeconds`.
    static let signUps = 200
    static let sessionSeconds = 30.0 * 86_400
    /// A session is prolonged, and its last use recorded, once per this many seconds.
    static let renewalSeconds = 3_600.0
    static let deviceSeconds = 365.0 * 86_400
    static let setupSeconds = 900.0
    /// Seconds for which a reset link is valid, and the number of reset e-mails that may wait for the mail server or be
    /// requested in one tick.
    static let resetSeconds = 3_600.0
    static let resetLetters = 64
    static let resetTries = 6
    static let resetTicks: UInt64 = 50
    /// Reset links that one network, and one account, may request within `triesSeconds`.
    static let resetsOfNetwork = 20
    static let resetsOfAccount = 1
    /// The ticks between two looks at the promotions of which people are notified.
    static let promotionTicks: UInt64 = 100
    /// Promotions that one look considers, and offers that are read at a time.
    static let notifyingPromotions = 200
    static let offersRead = 1000
    /// People whom one event names; others follow at the next look.
    static let notifiedPeople = 500
    /// Promotions of which a person was notified that are remembered.
    static let notificationsOfPerson = 100
    /// Lines of the audit log that are retained, and those of one response; accounts whose sign-ins are counted
    /// separately in one minute, and that minute in ticks.
    static let auditRows = 10_000
    static let auditPage = 200
    static let accountsCounted = 20
    static let countingTicks: UInt64 = 600
    /// The window in which failed attempts count, in ticks and in seconds, and the number of names that are counted.
    static let triesTicks: UInt64 = 3000
    static let triesSeconds = 300.0
    static let throttled = 4096
    /// Failed attempts: those of one name that are counted; those of an account without a delay; those of a network
    /// until its checks are spread; those on a known device until it is treated as unknown.
    static let triesCounted = 40
    static let triesFree = 5
    static let triesOfNetwork = 20
    static let triesOfDevice = 10
    /// Ticks that the first delayed attempt waits; each further failure doubles it, up to 2 s.
    static let triesDelayTicks: UInt64 = 2
    static let triesDelayTicksAtMost: UInt64 = 20
    /// Local addresses, and accounts of each, that are observed for an untrusted proxy.
    static let proxyAddresses = 16
    static let accountsBehindProxy = 100
    /// Unauthenticated requests that one network may send per second, and at once after a pause: the first visits of 50
    /// phones behind one address. A picture, which browsers cache, costs a tenth.
    static let anonymousRate = 100
    static let anonymousBurst = 3_000
    static let pictureCost = 0.1
    /// Entity tags that a request may name, and bytes of each.
    static let tags = 8
    static let tagBytes = 64
    /// Alarms whose limit the live feed stores.
    static let alarms = 2000
    /// Places whose newest reading waits to be published.
    static let livePlaces = 1024
    /// Streams of server-sent events at once: of the staff, of all clients, of one person (whose oldest is replaced),
    /// and of one address without an account.
    static let staffStreams = 256
    static let clientStreams = 2_000
    static let streamsPerPerson = 4
    static let streamsPerAddress = 128
    /// Ticks between two readings of one place, and between two notifications to pull.
    static let readingTicks: UInt64 = 10
    /// Ticks between two requests for a passport's proof, and until waiting for it ends.
    static let proofTicks: UInt64 = 1
    static let proofPatienceTicks: UInt64 = 60
    /// Ticks between two removals of expired sessions.
    static let cleaningTicks: UInt64 = 6000
    /// Files of the web folder, and bytes of all of them.
    static let files = 512
    /// County maps of the operator's own.
    static let maps = 20
    static let filesBytes = 16 << 20
    /// The most devices that a radio hub says it is connected to, and the counts that it may say.
    static let hubDevices = 64
    static let hubReports = 0...1_000_000_000_000
}
