public import Vocabulary

/// One quantity that one device measured, in the quantity's own unit.
public struct DecodedReading: Hashable, Sendable {
    public var device: DeviceID
    public var quantity: Quantity
    public var value: Double
    /// 1 for the only or first sensor of this quantity in the device, 2 for the second, and so on.
    public var channel: Int
    /// Set where the bytes are well formed but a careful reader would not believe the value.
    public var doubt: Implausibility?

    public init(
        device: DeviceID, quantity: Quantity, value: Double, channel: Int = 1, doubt: Implausibility? = nil
    ) {
        self.device = device
        self.quantity = quantity
        self.value = value
        self.channel = channel
        self.doubt = doubt
    }

    public var unit: String { quantity.unit }
}

/// Why a value is not to be believed.
public enum Implausibility: String, Hashable, Sendable {
    /// Outside what this quantity can be, or what this make of sensor can measure.
    case outOfRange = "out-of-range"
    /// A value that sensors send when they fail, such as 327.67 °C.
    case failureCode = "failure-code"
}
