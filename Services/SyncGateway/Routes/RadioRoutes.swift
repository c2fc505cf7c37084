import Events
import Vocabulary

/// The routes of what radio gateways and programs send.
extension Routes {
    static let radio: [Route] = [
        .own(
            .post, "/v1/adverts", .sendAdverts, for: .atLeast(.grower),
            "Records raw Bluetooth advertisements, sent with a gateway's or a grower's token; a repeated batch is recorded once. With "
                + "`characteristic`, `hex` is the value of that GATT characteristic; `sensor` is the chip of a SensorTag.",
            takes: .json(adverts), gives: .json(200, .object(accepted))),
        .own(
            .post, "/v1/uplink", .uplink(isTokenInPath: false), for: .radioGateway,
            "Records what a Ruuvi Gateway or a Minew gateway posts, in its own form. The gateway's token is the bearer token or the "
                + "password of Basic authentication. A body that is sent again is recorded once, also without a key.",
            headers: ["Idempotency-Key?": .form(.key)], takes: .deviceJSON, gives: .json(200, .object(accepted))),
        .own(
            .post, "/v1/uplink/{token}", .uplink(isTokenInPath: true), for: .radioGateway,
            "The same for a gateway that can send its token in the address only.",
            headers: ["Idempotency-Key?": .form(.key)], takes: .deviceJSON, gives: .json(200, .object(accepted))),
        .own(
            .get, "/v1/uplink/{token}", .reportByAddress, for: .radioGateway,
            "Records the values in the address, which a sensor of Shelly requests. `temp` is in °C. Other parameters are ignored.",
            where: UplinkQuery.parameters, gives: .json(200, .object(accepted))),
        .own(
            .post, "/v1/values", .sendValues, for: .atLeast(.grower),
            "Records values that another program has decoded, sent with a gateway's or a grower's token. A value is in the "
                + "unit of its quantity, or in the `unit` that is named: °F, kPa, Pa, mmHg, inHg, psi, mV, mS/cm.",
            takes: .json(sentReports), gives: .json(200, .object(accepted))),
        .own(
            .put, "/v1/hub", .reportHub, for: .radioGateway,
            "A radio hub (`furrow-hub`) says what it does, with its gateway's token: `trouble` is why its radio does not listen, "
                + "`waiting` are the reports that it could not deliver. `GET /v1/gateways` shows the last one.",
            takes: .json(hub), gives: .nothing(204)),
        .own(
            .post, "/v1/captures", .sendCapture, for: .atLeast(.grower),
            "Records the packets of a capture file (btsnoop or pcap).", takes: .octets,
            gives: .json(200, .object(accepted))),
    ]

    private static let hub: Shape = [
        "trouble?": .lines(200), "connected": .few(.form(.address), 0...GatewayLimits.hubDevices), "waiting": reports,
        "oldest?": .time, "received": reports, "removed": reports, "refused": reports,
    ]
    private static let reports = APISchema.whole(GatewayLimits.hubReports)

    private static let sentReports: Shape = [
        "reports": .list(
            .object([
                "device": .name, "at?": .time, "maker?": .line, "model?": .line,
                "values": .few(.object(["quantity": reported, "value": limits, "unit?": .line]), 1...64),
            ])),
        "source?": .line,
    ]

    /// Manufacturers of gateways add members of their own.
    private static let adverts = (["adverts": .list(.object(advert)), "source?": .line] as Shape).open
    private static let advert =
        ([
            "address": .form(.address), "hex": .form(.advert), "rssi?": .whole(-200...200), "at?": .time,
            "characteristic?": .form(.characteristic), "sensor?": .words(["hdc1000", "sht21"]),
        ] as Shape).open

    private static let accepted: Shape = [
        "accepted": .list(.object(["id": .text, "device": .text])), "measurements": .integer, "raw": .integer,
        "beacons": .integer, "known": .integer, "unreadable": .integer, "refused": .integer, "unsupported": .integer,
        "encrypted": .integer, "truncated": .integer,
    ]
}
