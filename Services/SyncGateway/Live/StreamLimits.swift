import HTTP
import Host

extension RequestMeter {
    init(_ settings: Settings) throws(SettingError) {
        self.init()
        rate = try settings.number("ANONYMOUS_RATE", in: 0...100_000) ?? rate
        burst = try settings.number("ANONYMOUS_BURST", in: 1...1_000_000) ?? burst
    }
}

/// Limits the open streams of server-sent events by audience and holder.
struct StreamLimits: Sendable, Equatable {
    enum Audience: String {
        /// The staff's pages: alarms and readings.
        case staff
        /// Buyers' pages and apps: notifications that there are changes to pull.
        case clients
    }

    /// All streams of clients, including those without an account.
    var clients = GatewayLimits.clientStreams
    /// The streams of one address without an account; many phones may share an address.
    var perAddress = GatewayLimits.streamsPerAddress

    init() {}

    init(_ settings: Settings) throws(SettingError) {
        clients = try settings.number("LIVE_STREAMS", in: 16...3_000) ?? clients
        perAddress = try settings.number("LIVE_PER_ADDRESS", in: 1...3_000) ?? perAddress
    }

    /// Returns the limits for a stream. A person's new stream replaces their oldest; an address without an account is
    /// refused beyond its limit.
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
