/// How a client shares public content with others in its network.
public struct SharingOptions: Sendable {
    /// The addresses of nodes and other clients that are used without discovery, `http://HOST:PORT`; 16 at most.
    public var neighbours: [String]
    /// Whether `share` announces this client by DNS-SD, and looks for others. It needs Avahi.
    public var isDiscovering: Bool
    /// The numeric address on which `share` serves others.
    public var address: String
    /// The port on which `share` serves others; 0 for any free port.
    public var port: Int

    public init(
        neighbours: [String] = [], isDiscovering: Bool = true, address: String = "0.0.0.0", port: Int = 0
    ) {
        self.neighbours = neighbours
        self.isDiscovering = isDiscovering
        self.address = address
        self.port = port
    }
}
