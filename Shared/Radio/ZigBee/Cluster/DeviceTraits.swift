/// The differences of one make of ZigBee device from the standard.
public struct DeviceTraits: Hashable, Sendable {
    /// The maker as reported by the device (Basic cluster, attribute 4).
    public var maker: String?
    /// The model as reported by the device (Basic cluster, attribute 5).
    public var model: String?
    /// Xiaomi and Aqara: a failed sensor sends values far outside its measuring range.
    public var isLumi: Bool
    /// Whether battery percent is sent in whole percent instead of halves.
    public var sendsWholePercent: Bool
    /// Whether illuminance is sent in lux instead of a logarithm.
    public var sendsPlainLux: Bool

    public init(
        maker: String? = nil, model: String? = nil, isLumi: Bool = false, sendsWholePercent: Bool = false,
        sendsPlainLux: Bool = false
    ) {
        self.maker = maker
        self.model = model
        self.isLumi = isLumi || model?.hasPrefix("lumi.") ?? false
        self.sendsWholePercent = sendsWholePercent
        self.sendsPlainLux = sendsPlainLux
    }

    /// Creates the traits of a make.
    ///
    /// - Parameter base: Traits of the device that are already known and remain.
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

    /// Makes that send 0 to 100 instead of halves of a percent; models are matched by prefix.
    private static let wholePercent: [(maker: String, model: String)] = [
        ("Keen Home Inc", "SV01-"), ("Keen Home Inc", "SV02-"), ("IKEA of Sweden", "TRADFRI"), ("TERNCY", "TERNCY-"),
        ("Sunricher", "ICZB-KPD"),
    ]
    /// Lumi's light sensors that send the standard's logarithm; its other models send lux.
    private static let logarithmicLumi = ["lumi.sen_ill.", "lumi.light."]
}
