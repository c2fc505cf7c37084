/// What one make of ZigBee device does differently from the standard.
public struct DeviceTraits: Hashable, Sendable {
    /// The maker that it names (Basic cluster, attribute 4).
    public var maker: String?
    /// The model it calls itself (Basic cluster, attribute 5).
    public var model: String?
    /// Xiaomi and Aqara: sends values far outside what it can measure when it fails.
    public var isLumi: Bool
    /// Sends battery percent as it is rather than in halves.
    public var sendsWholePercent: Bool
    /// Sends lux as it is rather than as a logarithm.
    public var sendsPlainLux: Bool

    public init(
        model: String? = nil, isLumi: Bool = false, sendsWholePercent: Bool = false, sendsPlainLux: Bool = false
    ) {
        self.model = model
        self.isLumi = isLumi || model?.hasPrefix("lumi.") ?? false
        self.sendsWholePercent = sendsWholePercent
        self.sendsPlainLux = sendsPlainLux
    }

    /// What is known of a make.
    ///
    /// - Parameter base: what is known of the device besides; stays in force.
    public init(maker: String?, model: String?, and base: DeviceTraits = .standard) {
        self = base
        self.maker = maker
        self.model = model
        let model = model ?? ""
        isLumi = base.isLumi || model.hasPrefix("lumi.") || maker == "LUMI"
        sendsWholePercent =
            base.sendsWholePercent || Self.wholePercent.contains { maker == $0.maker && model.hasPrefix($0.model) }
        sendsPlainLux =
            base.sendsPlainLux || model.hasPrefix("lumi.") && !Self.logarithmicLumi.contains { model.hasPrefix($0) }
    }

    public static let standard = DeviceTraits()

    /// Makes that send 0 to 100 where the standard has halves of a percent; the model by its beginning.
    private static let wholePercent: [(maker: String, model: String)] = [
        ("Keen Home Inc", "SV01-"), ("Keen Home Inc", "SV02-"), ("IKEA of Sweden", "TRADFRI"), ("TERNCY", "TERNCY-"),
        ("Sunricher", "ICZB-KPD"),
    ]
    /// The light sensors of Lumi that send the standard's logarithm; its other models send lux.
    private static let logarithmicLumi = ["lumi.sen_ill.", "lumi.light."]
}
