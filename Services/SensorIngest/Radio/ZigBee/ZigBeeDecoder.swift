public import Vocabulary

/// Turns what ZigBee devices send into reports: by a layout where one is known, else by the cluster library.
public struct ZigBeeDecoder: Sendable {
    /// Layouts of devices that speak no cluster library.
    public var layouts: [Layout]
    /// What single devices do differently, by device.
    public var traits: [DeviceID: DeviceTraits]

    public init(layouts: [Layout] = Layout.known, traits: [DeviceID: DeviceTraits] = [:]) {
        self.layouts = layouts
        self.traits = traits
    }

    /// Decodes a message; where it says which make its device is, the device's later messages are read accordingly.
    public mutating func decodeAndLearn(_ message: ZigBeeMessage) -> DecodedInput {
        let heard = decode(message)
        for report in heard.reports where report.maker != nil || report.model != nil {
            learn(maker: report.maker, model: report.model, of: report.device)
        }
        return heard
    }

    /// Applies what is special about a make to a device's messages from now on; nil leaves what is known.
    public mutating func learn(maker: String?, model: String?, of device: DeviceID) {
        guard device.isLasting, traits.count < RadioLimits.devices || traits[device] != nil else { return }
        let known = traits[device]
        traits[device] = DeviceTraits(maker: maker ?? known?.maker, model: model ?? known?.model)
    }

    private enum Meaning {
        /// Home Automation and its siblings, Light Link: clusters mean what the cluster library says.
        case standard
        /// One that a layout names: whatever comes is meant for us.
        case own
        case foreign
    }

    private func meaning(of profile: UInt16?) -> Meaning {
        guard let profile else { return .standard }
        if (0x0100...0x0109).contains(profile) || profile == 0xC05E { return .standard }
        return layouts.contains { $0.profile == profile } ? .own : .foreign
    }

    public func decode(_ message: ZigBeeMessage) -> DecodedInput {
        if message.profile == DeviceObject.profile { return DecodedInput() }
        if let layout = layouts.first(where: { $0.matches(message) }) {
            do throws(Malformed) {
                return DecodedInput(try layout.read(message))
            } catch {
                return keep(message, tsn: nil, because: error)
            }
        }
        do throws(Malformed) {
            let frame = try ZCLFrame(message.payload)
            switch meaning(of: message.profile) {
            case .standard: return decode(message, frame)
            case .own: return keep(message, tsn: frame.transaction, because: nil)
            case .foreign:
                return frame.isReport ? keep(message, tsn: frame.transaction, because: nil) : leave(message)
            }
        } catch {
            switch meaning(of: message.profile) {
            case .standard: return keep(message, tsn: nil, because: error)
            case .own: return keep(message, tsn: nil, because: nil)
            case .foreign: return leave(message)
            }
        }
    }

    private func decode(_ message: ZigBeeMessage, _ frame: ZCLFrame) -> DecodedInput {
        if frame.isClusterSpecific { return keep(message, tsn: frame.transaction, because: nil) }
        guard frame.isReport || frame.command == ZCLFrame.Command.readAttributesResponse else { return DecodedInput() }
        let attributes = ZCLAttributes(frame)
        var report = Report(
            device: message.device, protocolName: "zcl", repeats: .zigbee, counter: UInt64(frame.transaction),
            fingerprint: message.fingerprint, rssi: message.rssi, lqi: message.lqi)
        let isClaimed = add(attributes, message, frame, to: &report)
        let isRefusal = !attributes.records.isEmpty && attributes.records.allSatisfy { $0.status != 0 }
        guard isClaimed else {
            return isRefusal ? DecodedInput() : keep(message, tsn: frame.transaction, because: attributes.problem)
        }
        var heard = DecodedInput(report)
        if let problem = attributes.problem {
            heard.note(
                Malformed("\(problem.reason), \(attributes.droppedBytes) bytes dropped", at: problem.offset))
        }
        return heard
    }

    /// Adds what the attributes mean. Whether any of them has a meaning here.
    private func add(
        _ attributes: ZCLAttributes, _ message: ZigBeeMessage, _ frame: ZCLFrame, to report: inout Report
    ) -> Bool {
        var traits = traits[message.device] ?? .standard
        if case .text(let model)? = attributes[0x0005], message.cluster == MeasuringCluster.basic.rawValue {
            traits = DeviceTraits(maker: traits.maker, model: model, and: traits)
        }
        traits.isLumi = traits.isLumi || XiaomiAttributes.isMadeByXiaomi(frame)
        var isClaimed = false
        for record in attributes.records where record.status == 0 {
            if XiaomiAttributes.add(record, cluster: message.cluster, traits: traits, to: &report) { isClaimed = true }
        }
        // Another maker's attributes have the numbers of the standard's, but not their meaning.
        if frame.manufacturer == nil, let cluster = MeasuringCluster(rawValue: message.cluster),
            cluster.add(attributes, traits: traits, to: &report)
        {
            isClaimed = true
        }
        return isClaimed
    }

    private func keep(_ message: ZigBeeMessage, tsn: UInt8?, because problem: Malformed?) -> DecodedInput {
        var heard = DecodedInput()
        heard.raws = [message.raw(tsn: tsn)]
        if let problem { heard.note(problem) }
        return heard
    }

    private func leave(_ message: ZigBeeMessage) -> DecodedInput {
        var heard = DecodedInput()
        heard.unclaimed = [message]
        return heard
    }
}
