/// What one make of ZigBee device does differently from the standard.
public struct DeviceTraits: Hashable, Sendable {
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

    public static let standard = DeviceTraits()
}
