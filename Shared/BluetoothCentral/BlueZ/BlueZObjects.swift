import DBus
import Radio

/// The objects of BlueZ: its adapters, and the devices with their services and characteristics.
struct BlueZObjects: Sendable {
    /// A service of a connected device.
    struct Service: Hashable, Sendable {
        let path: String
        let uuid: String
        let device: String
    }

    /// A characteristic of a service.
    struct Characteristic: Hashable, Sendable {
        let path: String
        let uuid: String
        let service: String
        let notifies: Bool
    }

    /// Whether an adapter is switched on, by its path.
    private(set) var adapters: [String: Bool] = [:]
    private(set) var devices: [String: BlueZDevice] = [:]
    private var services: [String: Service] = [:]
    private var characteristics: [String: Characteristic] = [:]

    /// Notes an object with its interfaces, which is new or has more of them; not yet what a device advertises.
    mutating func add(_ path: String, _ interfaces: BusValue) {
        if let adapter = interfaces[BlueZName.adapter] { adapters[path] = adapter["Powered"]?.asFlag ?? false }
        if let properties = interfaces[BlueZName.device], devices.count < CentralLimits.senders {
            devices[path] = BlueZDevice(properties)
        }
        if let properties = interfaces[BlueZName.gattService], services.count < Self.attributes,
            let uuid = properties["UUID"]?.asText, let device = properties["Device"]?.asText
        {
            services[path] = Service(path: path, uuid: uuid, device: device)
        }
        if let properties = interfaces[BlueZName.characteristic], characteristics.count < Self.attributes,
            let uuid = properties["UUID"]?.asText, let service = properties["Service"]?.asText
        {
            let flags = properties["Flags"]?.asList?.compactMap(\.asText) ?? []
            characteristics[path] = Characteristic(
                path: path, uuid: uuid, service: service,
                notifies: flags.contains("notify") || flags.contains("indicate"))
        }
    }

    /// Removes interfaces of an object.
    mutating func remove(_ path: String, _ interfaces: [String]) {
        for interface in interfaces {
            switch interface {
            case BlueZName.adapter: adapters[path] = nil
            case BlueZName.device: devices[path] = nil
            case BlueZName.gattService: services[path] = nil
            case BlueZName.characteristic: characteristics[path] = nil
            default: break
            }
        }
    }

    mutating func note(_ adapter: String, isPowered: Bool) {
        if adapters[adapter] != nil { adapters[adapter] = isPowered }
    }

    /// Notes properties of a device. Returns the advertisement that they are from, or nil if they are from none.
    mutating func change(device path: String, _ properties: BusValue) -> Advertisement? {
        devices[path]?.apply(properties)
    }

    func characteristic(at path: String) -> Characteristic? { characteristics[path] }

    /// Returns the device whose characteristic this is.
    func device(of characteristic: Characteristic) -> String? { services[characteristic.service]?.device }

    /// Returns the characteristic of a service of a device.
    func characteristic(_ uuid: String, of service: String, device: String) -> Characteristic? {
        let fitting = services.values.filter { $0.device == device && $0.uuid == service }.map(\.path)
        return characteristics.values.filter { $0.uuid == uuid && fitting.contains($0.service) }
            .min { $0.path < $1.path }
    }

    func hasService(_ uuid: String, device: String) -> Bool {
        services.values.contains { $0.device == device && $0.uuid == uuid }
    }

    /// The most services, or characteristics, of all devices.
    private static var attributes: Int { CentralLimits.attributes * CentralLimits.connections }
}
