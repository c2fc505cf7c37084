import HTTP
import Host

extension RequestMeter {
    init(_ settings: Settings) throws(SettingError) {
        self.init()
        rate = try settings.number("ANONYMOUS_RATE", in: 0...100_000) ?? rate
        burst = try settings.number("ANONYMOUS_BURST", in: 1...1_000_000) ?? burst
    }
}

/// How many streams of server-sent events the gateway keeps open, and for whom.
struct StreamLimits: Sendable, Equatable {
    enum Audience: String {
        /// The staff's pages: alarms and readings.
        case staff
        /// Buyers' pages and apps: that there is something to pull.
        case clients
    }

    /// All streams of clients, those without an account included.
    var clients = GatewayLimits.clientStreams
    /// Streams of one address without an account: many phones behind one address.
    var perAddress = GatewayLimits.streamsPerAddress

    init() {}

    init(_ settings: Settings) throws(SettingError) {
        clients = try settings.number("LIVE_STREAMS", in: 16...3_000) ?? clients
        perAddress = try settings.number("LIVE_PER_ADDRESS", in: 1...3_000) ?? perAddress
    }

    /// A person's newest streams win; of an address without an account those that are open stay.
    func place(of call: RequestContext, in audience: Audience) -> StreamPlace {
        let most = audience == .staff ? GatewayLimits.staffStreams : clients
        if let caller = call.caller {
            return StreamPlace(
                audience: audience.rawValue, audienceMax: most, holder: LiveFeed.topic(of: caller.person),
                holderMax: GatewayLimits.streamsPerPerson, replacesOldest: true)
        }
        return StreamPlace(
            audience: audience.rawValue, audienceMax: most, holder: "address/\(call.web.request.network)",
            holderMax: perAddress, replacesOldest: false)
    }
}
