public import Vocabulary

/// The decoder of ZigBee messages into reports: by a layout if one matches, else by the cluster library.
public struct ZigBeeDecoder: Sendable {
    /// The layouts of devices that do not use the cluster library.
    public var layouts: [Layout]
    /// The differences of single devices from the standard.
    public var traits: [DeviceID: DeviceTraits]

    public init(layouts: [Layout] = Layout.known, traits: [DeviceID: DeviceTraits] = [:]) {
        self.layouts = layouts
        self.traits = traits
    }

    /// Decodes a message. If it names the device's make, later messages of the device are decoded accordingly.
    public mutating func decodeAndLearn(_ message: ZigBeeMessage) -> DecodedInput {
        let decoded = decode(message)
        for report in decoded.reports where report.maker != nil || report.model != nil {
            learn(maker: report.maker, model: report.model, of: report.device)
        }
        return decoded
    }

    /// Applies the traits of a make to a device's later messages. Nil leaves the known maker or model as it is.
    public mutating func learn(maker: String?, model: String?, of device: DeviceID) {
        guard device.isLasting, traits.count < RadioLimits.devices || traits[device] != nil else { return }
        let known = traits[device]
        traits[device] = DeviceTraits(maker: maker ?? known?.maker, model: model ?? known?.model)
    }

    private enum Meaning {
        /// Home Automation and related profiles, Light Link: clusters as in the cluster library.
        case standard
        /// A profile named by a layout: all its messages come from the farm's own nodes.
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
        if frame.isClusterSpecific { return decodeCommand(message, frame) }
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
        var decoded = DecodedInput(report)
        if let problem = attributes.problem {
            decoded.note(
                Malformed("\(problem.reason), \(attributes.droppedBytes) bytes dropped", at: problem.offset))
        }
        return decoded
    }

    /// Decodes a command of one cluster: Tuya's data points, or the notification of an alarm zone.
    private func decodeCommand(_ message: ZigBeeMessage, _ frame: ZCLFrame) -> DecodedInput {
        let traits = traits[message.device] ?? .standard
        var report = Report(
            device: message.device, protocolName: "zcl", repeats: .zigbee, counter: UInt64(frame.transaction),
            fingerprint: message.fingerprint, rssi: message.rssi, lqi: message.lqi)
        var isClaimed = false
        var problem: Malformed?
        do throws(Malformed) {
            switch message.cluster {
            case TuyaDataPoints.cluster:
                report.protocolName = "tuya"
                isClaimed = try TuyaDataPoints.add(frame, maker: traits.maker ?? "", to: &report)
            case AlarmZone.cluster: isClaimed = try AlarmZone.add(frame, traits, to: &report)
            default: break
            }
        } catch {
            isClaimed = !report.readings.isEmpty
            problem = Malformed(error.reason, at: error.offset + frame.headerLength, isCutOff: error.isCutOff)
        }
        guard isClaimed else { return keep(message, tsn: frame.transaction, because: problem) }
        var decoded = DecodedInput(report)
        if let problem { decoded.note(problem) }
        return decoded
    }

    /// Adds the values of the attributes. Returns whether any of them is known here.
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
        // A maker's own attributes may have the numbers of standard ones, but not their meaning.
        if frame.manufacturer == nil, let cluster = MeasuringCluster(rawValue: message.cluster),
            cluster.add(attributes, traits: traits, to: &report)
        {
            isClaimed = true
        }
        return isClaimed
    }

    private func keep(_ message: ZigBeeMessage, tsn: UInt8?, because problem: Malformed?) -> DecodedInput {
        var decoded = DecodedInput()
        decoded.raws = [message.raw(tsn: tsn)]
        if let problem { decoded.note(problem) }
        return decoded
    }

    private func leave(_ message: ZigBeeMessage) -> DecodedInput {
        var decoded = DecodedInput()
        decoded.unclaimed = [message]
        return decoded
    }
}
