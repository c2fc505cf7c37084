extension DeviceObjectMessage {
    var frame: UNPIFrame {
        if let status = statusFrame { return status }
        var data = ByteWriter()
        let code = write(to: &data)
        return UNPIFrame(code, data.bytes)
    }

    /// The frame of a message with one byte; nil for other messages.
    private var statusFrame: UNPIFrame? {
        switch self {
        case .started(let status): UNPIFrame(0x6540, [status])
        case .stateChanged(let state): UNPIFrame(0x45C0, [state])
        case .commission(let mode): UNPIFrame(0x2F05, [mode])
        case .commissioned(let status): UNPIFrame(0x6F05, [status])
        case .commissionProgress(let status, let mode, let remaining): UNPIFrame(0x4F80, [status, mode, remaining])
        case .channelsSet(let status): UNPIFrame(0x6F08, [status])
        case .activeEndpointsAsked(let status): UNPIFrame(0x6505, [status])
        case .subscribed(let status): UNPIFrame(0x653E, [status])
        case .permitJoinAsked(let status): UNPIFrame(0x6536, [status])
        case .ieeeAsked(let status): UNPIFrame(0x6501, [status])
        default: nil
        }
    }

    /// Writes the data of every other message and returns its frame's code.
    private func write(to data: inout ByteWriter) -> UInt16 {
        switch self {
        case .start(let delay):
            data.u16(delay)
            return 0x2540
        case .setChannels(let isPrimary, let mask):
            data.u8(isPrimary ? 1 : 0)
            data.u32(mask)
            return 0x2F08
        case .askDeviceInfo: return 0x2700
        case .deviceInfo(let info):
            info.write(to: &data)
            return 0x6700
        case .askActiveEndpoints(let destination, let short):
            data.u16(destination)
            data.u16(short)
            return 0x2505
        case .activeEndpoints(let source, let status, let short, let endpoints):
            data.u16(source)
            data.u8(status)
            data.u16(short)
            data.u8(UInt8(clamping: endpoints.count))
            data.append(endpoints)
            return 0x4585
        case .subscribe(let cluster):
            data.u16(cluster)
            return 0x253E
        case .permitJoin(let mode, let destination, let seconds, let significance):
            data.u8(mode)
            data.u16(destination)
            data.append([seconds, significance])
            return 0x2536
        case .permitJoinAnswered(let source, let status):
            data.u16(source)
            data.u8(status)
            return 0x45B6
        default: return writeAddresses(to: &data)
        }
    }

    private func writeAddresses(to data: inout ByteWriter) -> UInt16 {
        switch self {
        case .askIEEE(let short, let kind, let startIndex):
            data.u16(short)
            data.append([kind, startIndex])
            return 0x2501
        case .ieee(let status, let ieee, let short, let more):
            data.u8(status)
            data.u64(ieee)
            data.u16(short)
            data.append(more)
            return 0x4581
        case .announced(let source, let short, let ieee, let capabilities):
            data.u16(source)
            data.u16(short)
            data.u64(ieee)
            data.u8(capabilities)
            return 0x45C1
        case .joining(let short, let ieee, let parent):
            data.u16(short)
            data.u64(ieee)
            data.u16(parent)
            return 0x45CA
        case .left(let short, let ieee, let request, let remove, let rejoins):
            data.u16(short)
            data.u64(ieee)
            data.append([request, remove, rejoins ? 1 : 0])
            return 0x45C9
        case .concentrated(let short, let ieee, let cost):
            data.u16(short)
            data.u64(ieee)
            data.u8(cost)
            return 0x45C8
        case .overheard(let message):
            data.u16(message.source)
            data.u8(message.wasBroadcast ? 1 : 0)
            data.u16(message.cluster)
            data.append([message.security, message.transaction])
            data.u16(message.destination)
            data.append(message.data)
            return 0x45FF
        default: return 0
        }
    }
}

extension DeviceObjectMessage.DeviceInfo {
    fileprivate func write(to data: inout ByteWriter) {
        data.u8(status)
        data.u64(ieee)
        data.u16(short)
        data.append([kinds, state])
        data.list(children)
    }
}
