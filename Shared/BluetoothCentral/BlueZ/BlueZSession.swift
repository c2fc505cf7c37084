package import DBus
import Radio

/// The state machine of a hub that drives a controller through BlueZ, the Bluetooth daemon of Linux: it scans, lets
/// BlueZ connect to the devices of profiles, and returns what advertisements and notifications contain.
///
/// It does no input or output: callers pass messages of the bus and the monotonic time in microseconds, and make the
/// calls that the effects say. After `failed` a new session on a new connection is needed.
package struct BlueZSession: Sendable {
    /// What a caller has to do, in order.
    package enum Effect: Hashable, Sendable {
        /// Make a call; its response is passed to `respond` with this number.
        case call(Int, BusCall)
        case event(CentralEvent)
    }

    /// What a call is made for.
    private enum Purpose: Hashable {
        case match, objects, power, filter, scan
        /// A step of a connection to the device at this path.
        case step(String)
        case disconnect(String)
    }

    private let profiles: [GATTProfile]
    /// The adapter that is wanted, such as `hci0`; nil for the first.
    private let wanted: String?
    private var adapter: String?
    private var objects = BlueZObjects()
    private var connections: [String: BlueZConnection] = [:]
    private var attempts = ConnectionAttempts()
    private var calls: [Int: (purpose: Purpose, deadline: Int64)] = [:]
    private var lastCall = 0
    private var isScanning = false
    private var effects: [Effect] = []

    package init(_ profiles: [GATTProfile], adapter: String?) {
        (self.profiles, wanted) = (profiles, adapter)
    }

    /// The devices that are set up.
    package var connected: [Peripheral] {
        connections.values.filter { $0.stage == .ready }.map(\.peer).sorted { $0.address < $1.address }
    }

    /// Returns what starts the scan.
    package mutating func begin(at now: Int64) -> [Effect] {
        let owner = "type='signal',interface='\(BlueZName.bus)',member='NameOwnerChanged',arg0='\(BlueZName.service)'"
        for rule in ["type='signal',sender='\(BlueZName.service)'", owner] {
            call(.match, BusCall(BlueZName.bus, "/org/freedesktop/DBus", BlueZName.bus, "AddMatch", [.text(rule)]), now)
        }
        call(.objects, BusCall(BlueZName.service, "/", BlueZName.objectManager, "GetManagedObjects"), now)
        return take()
    }

    /// Returns the calls that end what the session has begun: BlueZ keeps connections otherwise.
    package mutating func end(at now: Int64) -> [Effect] {
        for path in connections.keys.sorted() { call(.disconnect(path), Self.onDevice(path, "Disconnect"), now) }
        return take()
    }

    /// Handles the response to a call.
    /// - Parameter failure: the name of the error, such as `org.bluez.Error.Failed`; nil for a call that succeeded.
    package mutating func respond(
        _ number: Int, _ values: [BusValue], failure: String?, at now: Int64
    ) -> [Effect] {
        guard let (purpose, _) = calls.removeValue(forKey: number) else { return [] }
        switch purpose {
        case .match: if let failure { fail("the bus passes on no signals (\(failure))") }
        case .objects: begin(with: values.first, failure, at: now)
        case .power: if let failure { fail("the adapter cannot be switched on (\(failure))") } else { scan(at: now) }
        case .filter: if let failure { fail("BlueZ does not scan for Low Energy (\(failure))") }
        case .scan: scanned(failure, at: now)
        case .step(let path): step(path, failure, at: now)
        case .disconnect: break
        }
        return take()
    }

    /// Handles a signal.
    package mutating func receive(_ signal: BusMessage, at now: Int64) -> [Effect] {
        switch (signal.interface, signal.member) {
        case (BlueZName.bus, "NameOwnerChanged"):
            // After the name come its former and its new owner.
            if signal.values.last?.asText == "" { fail("BlueZ has ended") }
        case (BlueZName.objectManager, "InterfacesAdded"):
            guard signal.values.count == 2, let path = signal.values[0].asText else { break }
            objects.add(path, signal.values[1])
            if let properties = signal.values[1][BlueZName.device] { changed(device: path, properties, at: now) }
        case (BlueZName.objectManager, "InterfacesRemoved"):
            guard signal.values.count == 2, let path = signal.values[0].asText else { break }
            objects.remove(path, signal.values[1].asList?.compactMap(\.asText) ?? [])
            if objects.devices[path] == nil { ended(path, at: now) }
            if let adapter, objects.adapters[adapter] == nil { fail("the adapter was removed") }
        case (BlueZName.properties, "PropertiesChanged"):
            guard signal.values.count >= 2, let interface = signal.values[0].asText else { break }
            changed(signal.path, interface, signal.values[1], at: now)
        default: break
        }
        return take()
    }

    /// Handles the passage of time; to be called about every second.
    package mutating func tick(at now: Int64) -> [Effect] {
        for (number, call) in calls where now >= call.deadline {
            calls[number] = nil
            if case .step = call.purpose { continue }
            fail("BlueZ does not respond")
        }
        for (path, connection) in connections {
            guard let deadline = connection.deadline, now >= deadline else { continue }
            if connection.stage == .closing {
                ended(path, at: now)
            } else {
                close(path, "the device does not respond", at: now)
            }
        }
        return take()
    }

    private mutating func take() -> [Effect] {
        defer { effects = [] }
        return effects
    }

    private mutating func report(_ event: CentralEvent) { effects.append(.event(event)) }

    private mutating func fail(_ reason: String) { report(.failed(reason)) }

    private mutating func call(_ purpose: Purpose, _ call: BusCall, _ now: Int64) {
        lastCall += 1
        calls[lastCall] = (purpose, now + CentralLimits.transactionMicroseconds * 2)
        effects.append(.call(lastCall, call))
    }

    // MARK: Scan

    private mutating func begin(with tree: BusValue?, _ failure: String?, at now: Int64) {
        guard let tree, failure == nil else {
            return fail("BlueZ does not run, or does not let this user in (\(failure ?? "no response"))")
        }
        for entry in tree.asEntries ?? [] {
            guard let path = entry.key.asText else { continue }
            objects.add(path, entry.value)
            // What BlueZ remembers of a device may be old: it is compared with what comes, and not reported.
            if let properties = entry.value[BlueZName.device] { _ = objects.change(device: path, properties) }
        }
        let names = objects.adapters.keys.sorted()
        guard let found = names.first(where: { wanted == nil || $0.hasSuffix("/\(wanted ?? "")") }) else {
            return fail(wanted.map { "there is no Bluetooth adapter \($0)" } ?? "there is no Bluetooth adapter")
        }
        adapter = found
        guard objects.adapters[found] == false else { return scan(at: now) }
        let change = [
            BusCall.Argument.text(BlueZName.adapter), .text("Powered"), .variant(.flag(true)),
        ]
        call(.power, BusCall(BlueZName.service, found, BlueZName.properties, "Set", change), now)
    }

    private mutating func scan(at now: Int64) {
        guard let adapter else { return }
        objects.note(adapter, isPowered: true)
        // Without DuplicateData BlueZ reports a value once, also if it is sent again later.
        let filter = [
            BusValue.Entry(.text("Transport"), .text("le")), BusValue.Entry(.text("DuplicateData"), .flag(true)),
        ]
        call(
            .filter, BusCall(BlueZName.service, adapter, BlueZName.adapter, "SetDiscoveryFilter", [.options(filter)]),
            now)
        call(.scan, BusCall(BlueZName.service, adapter, BlueZName.adapter, "StartDiscovery"), now)
    }

    private mutating func scanned(_ failure: String?, at now: Int64) {
        // BlueZ may still be ending the scan of an earlier session.
        guard failure == nil || failure == "org.bluez.Error.InProgress" else {
            return fail("the adapter cannot scan (\(failure ?? ""))")
        }
        isScanning = true
        report(.started)
        // Devices that are still connected advertise nothing.
        for (path, device) in objects.devices.sorted(by: { $0.key < $1.key }) where device.isConnected {
            consider(path, device, at: now)
        }
    }

    private mutating func changed(_ path: String, _ interface: String, _ properties: BusValue, at now: Int64) {
        switch interface {
        case BlueZName.adapter:
            guard let isPowered = properties["Powered"]?.asFlag else { return }
            objects.note(path, isPowered: isPowered)
            if path == adapter, isScanning, !isPowered { fail("the adapter was switched off") }
        case BlueZName.device: changed(device: path, properties, at: now)
        case BlueZName.characteristic:
            guard let value = properties["Value"]?.asBytes, let one = objects.characteristic(at: path),
                let device = objects.device(of: one), let connection = connections[device],
                connection.stage == .setUp || connection.stage == .ready,
                connection.profile.services.contains(where: { $0.notified.contains(one.uuid) })
            else { return }
            report(
                .value(
                    NotifiedValue(
                        peer: connection.peer, characteristic: one.uuid, value: value,
                        sensor: connection.profile.sensor, interval: connection.profile.interval)))
        default: break
        }
    }

    private mutating func changed(device path: String, _ properties: BusValue, at now: Int64) {
        let advertisement = objects.change(device: path, properties)
        guard let adapter, path.hasPrefix(adapter + "/"), let device = objects.devices[path] else { return }
        if let advertisement {
            if !advertisement.data.isEmpty { report(.heard(advertisement)) }
            consider(path, device, at: now)
        }
        guard let connection = connections[path] else { return }
        if connection.stage == .services, device.isResolved { setUp(path, at: now) }
        if properties["Connected"]?.asFlag == false, connection.stage != .connecting { ended(path, at: now) }
    }

    // MARK: Connections

    private static func onDevice(_ path: String, _ member: String) -> BusCall {
        BusCall(BlueZName.service, path, BlueZName.device, member)
    }

    /// Lets BlueZ connect to a device if a profile is for it. BlueZ makes one connection at a time.
    private mutating func consider(_ path: String, _ device: BlueZDevice, at now: Int64) {
        guard isScanning, connections[path] == nil, connections.count < CentralLimits.connections,
            !connections.values.contains(where: { $0.stage == .connecting }),
            attempts.isAllowed(device.peer.address, at: now),
            let profile = profiles.first(where: { $0.fits(device.peer, device.data) })
        else { return }
        connections[path] = BlueZConnection(
            device.peer, profile, deadline: now + CentralLimits.transactionMicroseconds)
        call(.step(path), Self.onDevice(path, "Connect"), now)
    }

    /// Goes on with a connection after the response to its last call.
    private mutating func step(_ path: String, _ failure: String?, at now: Int64) {
        guard let connection = connections[path] else { return }
        switch connection.stage {
        case .connecting:
            // A device that was connected before this session began is used as it is.
            if let failure, failure != "org.bluez.Error.AlreadyConnected" {
                return ended(path, at: now)
            }
            connections[path]?.stage = .services
            connections[path]?.deadline = now + CentralLimits.transactionMicroseconds
            if objects.devices[path]?.isResolved == true { setUp(path, at: now) }
        case .setUp:
            if let failure { return close(path, "the device refuses a step of its set-up (\(failure))", at: now) }
            proceed(path, at: now)
        case .services, .ready, .closing: break
        }
    }

    private mutating func setUp(_ path: String, at now: Int64) {
        connections[path]?.stage = .setUp
        if let missing = connections[path]?.plan(path, objects) { return close(path, missing, at: now) }
        proceed(path, at: now)
    }

    private mutating func proceed(_ path: String, at now: Int64) {
        guard let connection = connections[path] else { return }
        if let next = connections[path]?.next() {
            connections[path]?.deadline = now + CentralLimits.transactionMicroseconds
            return call(.step(path), next, now)
        }
        connections[path]?.stage = .ready
        connections[path]?.deadline = nil
        attempts.noteSuccess(connection.peer.address)
        report(.connected(connection.peer, profile: connection.profile.name))
    }

    private mutating func close(_ path: String, _ reason: String, at now: Int64) {
        connections[path]?.stage = .closing
        connections[path]?.reason = reason
        connections[path]?.deadline = now + CentralLimits.commandMicroseconds
        call(.disconnect(path), Self.onDevice(path, "Disconnect"), now)
    }

    /// Notes that a connection has ended, or was not made.
    private mutating func ended(_ path: String, at now: Int64) {
        guard let connection = connections.removeValue(forKey: path) else { return }
        attempts.noteEnd(connection.peer.address, at: now)
        if connection.stage != .connecting { report(.disconnected(connection.peer, reason: connection.reason)) }
    }
}
