public import Vocabulary

/// One value that a device measured, in the quantity's unit.
public struct DecodedReading: Hashable, Sendable {
    public var device: DeviceID
    public var quantity: Quantity
    public var value: Double
    /// 1 for the only or first sensor of this quantity in the device, 2 for the second, and so on.
    public var channel: Int
    /// Why the value is implausible although its bytes are well-formed; nil if it is plausible.
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

/// The reason why a value is implausible.
public enum Implausibility: String, Hashable, Sendable {
    /// Outside the possible range of the quantity, or of this kind of sensor.
    case outOfRange = "out-of-range"
    /// A value that sensors send when they fail, such as 327.67 °C.
    case failureCode = "failure-code"
}
