/// The replies that devices expect of a host (ZCL specification, sections 2.5.12 and 8.2.2; Tuya's cluster 0xEF00).
public enum ZCLReply {
    private static let tuyaTime: UInt8 = 0x24
    private static let enrollRequest: UInt8 = 0x01
    private static let enrollResponse: UInt8 = 0x00

    /// Returns the reply to a command; nil if its sender expects none. A broadcast has none.
    ///
    /// - Parameters:
    ///   - utc: Seconds since 1970.
    ///   - local: The same on the clocks of the farm.
    public static func reply(to frame: ZCLFrame, cluster: UInt16, utc: UInt32, local: UInt32) -> ZCLFrame? {
        switch (cluster, frame.isClusterSpecific, frame.command) {
        case (TuyaDataPoints.cluster, true, tuyaTime):
            var payload = Array((frame.payload + [0, 0]).prefix(2))
            for time in [utc, local] {
                payload += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: time >> UInt32($0)) }
            }
            return ZCLFrame(
                isClusterSpecific: true, transaction: frame.transaction, command: tuyaTime, payload: payload)
        case (AlarmZone.cluster, true, enrollRequest):
            // Success, and the zone's number, which nothing uses.
            return ZCLFrame(
                isClusterSpecific: true, transaction: frame.transaction, command: enrollResponse, payload: [0, 0])
        default: return frame.defaultResponse()
        }
    }
}
