/// The items of a coordinator's memory that are used here, by number (Z-Stack, `ZComDef.h`).
public enum MemoryItem {
    /// Bit 0 clears the configuration at the next start, bit 1 the network.
    public static let startupOption: UInt16 = 0x0003
    /// The record of the network, `NetworkRecord`.
    public static let network: UInt16 = 0x0021
    public static let extendedPANID: UInt16 = 0x002D
    /// The network key in use: its number, then 16 bytes.
    public static let activeKey: UInt16 = 0x003A
    public static let usedExtendedPANID: UInt16 = 0x0047
    /// Z-Stack 3: 1 if the coordinator is on a network.
    public static let isOnNetwork: UInt16 = 0x0055
    /// Marks of other programs that they have formed the network.
    public static let marksOfOthers: [UInt16] = [0x005F, 0x0060, 0x0F00]
    public static let configuredKey: UInt16 = 0x0062
    /// Whether devices must know the network key before they join.
    public static let isKeyConfigured: UInt16 = 0x0063
    public static let panID: UInt16 = 0x0083
    public static let channels: UInt16 = 0x0084
    /// 0 is a coordinator.
    public static let deviceKind: UInt16 = 0x0087
    /// Whether messages of the device object are passed to the host.
    public static let passesDeviceObject: UInt16 = 0x008F
    /// Z-Stack 1.2: the key by which devices join, in a table of one entry.
    public static let joiningKey: UInt16 = 0x0101
}
