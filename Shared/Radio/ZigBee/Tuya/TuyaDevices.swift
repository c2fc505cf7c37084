import Vocabulary

/// The meaning of the data points of Tuya's ZigBee devices, by the maker's name in their Basic cluster.
///
/// Tuya sells many devices under one model, `TS0601`; only the maker's name (`_TZE200_…`) distinguishes them. A device
/// that is not listed is stored undecoded.
enum TuyaDevices {
    /// One data point: value = raw / divisor, in the quantity's unit.
    struct Point {
        var number: UInt8
        var quantity: Quantity
        var divisor: Double

        init(_ number: UInt8, _ quantity: Quantity, per divisor: Double = 1) {
            self.number = number
            self.quantity = quantity
            self.divisor = divisor
        }
    }

    static func points(of maker: String) -> [Point]? { makers[maker] }

    static var count: Int { makers.count }

    private static let makers: [String: [Point]] = {
        var makers: [String: [Point]] = [:]
        for family in families {
            for name in family.makers.split(separator: " ") { makers["_TZE" + name] = family.points }
        }
        return makers
    }()

    /// Makers' names without `_TZE`, which all have.
    private struct Family {
        var makers: String
        var points: [Point]

        init(_ makers: String, _ points: [Point]) {
            self.makers = makers
            self.points = points
        }
    }

    private static let families = soil + climate + light + doors + tanks

    private static let soil = [
        Family(
            "200_myd45weu 200_ga1maeof 200_2se8efxh 204_myd45weu 284_myd45weu 284_oitavov2 284_2nhqasjh 284_2se8efxh "
                + "200_9cqcpkgb",
            [Point(3, .soilMoisture), Point(5, .temperature), Point(15, .battery)]),
        Family(
            "284_g2e6cpnw 284_sgabhwa6 284_nt4pquef 284_aao3yzhs 284_nhgdf6qr 284_ap9owrsa 284_33bwcga2 284_wckqztdq "
                + "284_3urschql 284_tgrzpqf4",
            [Point(3, .soilMoisture), Point(5, .temperature, per: 10), Point(15, .battery)]),
        Family(
            "284_o9ofysmo 284_xc3vwx5a 284_k7p2q5d9 284_65gzcss7 284_0ints6wl 284_yzr43ayq 284_hdml1aav",
            [
                Point(3, .soilMoisture), Point(5, .temperature, per: 10), Point(101, .humidity),
                Point(102, .illuminance),
            ]),
        Family(
            "200_npj9bug3 200_wrmhp6b3",
            [
                Point(3, .soilMoisture), Point(5, .temperature, per: 10), Point(109, .humidity), Point(15, .battery),
            ]),
        Family(
            "200_wqashyqo",
            [
                Point(107, .soilMoisture), Point(103, .temperature, per: 10), Point(109, .humidity),
                Point(108, .battery),
            ]),
    ]

    private static let climate = [
        Family(
            "200_yjjdcqsq 204_yjjdcqsq 200_9yapgbuv 204_9yapgbuv 284_9yapgbuv 200_utkemkbs 204_utkemkbs 284_utkemkbs "
                + "200_upagmta9 204_upagmta9 200_cirvgep4 204_cirvgep4 204_d7lpruvi 204_jygvp6fk 284_rjjsib2d",
            [Point(1, .temperature, per: 10), Point(2, .humidity)]),
        Family(
            "200_s1xgth2u 200_t3xd7l44 284_kdqrazmy 200_qoy0ekbd 200_znbl8dj5 200_a8sdabtg 200_dikkika5 200_vs0skpuc "
                + "200_3xfjp0ag 200_ehhrv2e3 200_lhqtjwax 200_y8wkaq6w 200_ysm4dsb1 200_vvmbj46n 284_vvmbj46n "
                + "200_w6n8jeuu 284_cwyqwqbf",
            [Point(1, .temperature, per: 10), Point(2, .humidity), Point(4, .battery)]),
        Family(
            "284_9ern5sfh", [Point(1, .temperature, per: 10), Point(2, .humidity, per: 10), Point(4, .battery)]),
        // A probe on a cable.
        Family("200_iq4ygaai 200_01fvxamo", [Point(1, .temperature, per: 10), Point(4, .battery)]),
        Family("204_pkpfn9hc", [Point(2, .co2), Point(18, .temperature, per: 10), Point(19, .humidity)]),
    ]

    private static let light = [
        Family("284_aaeasoll", [Point(2, .illuminance), Point(4, .battery)]),
        Family(
            "200_rbbx5mfq 204_rbbx5mfq",
            [Point(2, .illuminance), Point(6, .temperature, per: 10), Point(7, .humidity, per: 10)]),
    ]

    private static let doors = [
        Family("200_n8dljorx", [Point(1, .contact), Point(2, .battery)]),
        Family(
            "200_pay2byax 200_ijey4q29 200_ykglasuj 200_kf2hbko4",
            [Point(1, .contact), Point(101, .illuminance), Point(2, .battery)]),
        Family(
            "200_nvups4nh",
            [Point(1, .contact), Point(2, .battery), Point(7, .temperature, per: 10), Point(8, .humidity)]),
    ]

    /// Water levels: centimetres, and percent of the depth that is set in the device.
    private static let tanks = [
        Family(
            "284_kyyu8rbj 284_mxujdmxo 200_lvkk0hdg 204_7yyuo8sr",
            [Point(2, .level, per: 0.1), Point(22, .fillLevel)])
    ]
}
