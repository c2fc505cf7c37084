import EventSourcing
import JSON
import TestKit
import Vocabulary

/// A client's command with its idempotency key.
struct Command {
    let key: String
    let to: Int
    let verb: String
    let body: [UInt8]
    let actor: Actor
    let entropy: [UInt8]
}

/// Generates the commands of a farm's growers and gateways.
struct Script {
    private var sequences: [Int: Int] = [:]
    private var lastAdverts: [Int: String] = [:]
    private var lots = 0
    private var free: [String] = []
    private var number = 0

    static let devices = 8

    /// The commands that set up the farm, in order.
    static let founding: [(to: Int, verb: String, body: String)] =
        [
            (
                SimulationRun.hub, "found-farm",
                #"{"farm":"f1","title":"Sunny Hill","zone":"Europe/Vienna","country":"AT"}"#
            ),
            (SimulationRun.hub, "lay-out-plot", #"{"farm":"f1","plot":"p1","title":"North field"}"#),
            (SimulationRun.hub, "lay-out-plot", #"{"farm":"f1","plot":"p2","title":"South field"}"#),
            (SimulationRun.hub, "open-store", #"{"farm":"f1","store":"s1","title":"Cold store","cold":true}"#),
            (
                SimulationRun.origins[0], "set-rule",
                #"{"rule":"warm","place":"store/s1","quantity":"temperature","above":8,"hysteresis":0.5}"#
            ),
        ]
        + (0..<devices).map { device in
            let place = device % 3 == 0 ? "store/s1" : "plot/p\(device % 3)"
            return (
                SimulationRun.origins[0], "bind-point",
                #"{"point":"m\#(device)","title":"Point","place":"\#(place)","device":"ble:c000000000\#(hex(device))"}"#
            )
        }

    /// - Parameter now: microseconds since the day began.
    mutating func next(_ random: inout SplitMix64, at now: Int64) -> Command {
        switch random.next() % 10 {
        case 0...5: adverts(&random, at: now)
        case 6, 7:
            command(
                SimulationRun.hub, "record-activity", #"{"plot":"p\#(1 + random.next() % 2)","kind":"weeding"}"#,
                &random)
        case 8: harvest(&random)
        default: lot(&random)
        }
    }

    mutating func command(_ to: Int, _ verb: String, _ body: String, _ random: inout SplitMix64) -> Command {
        number += 1
        return Command(
            key: "key-\(number)", to: to, verb: verb, body: Array(body.utf8), actor: .person(PersonID("anna")),
            entropy: random.bytes(16))
    }

    private mutating func harvest(_ random: inout SplitMix64) -> Command {
        lots += 1
        free.append("L-\(lots)")
        return command(
            SimulationRun.hub, "harvest", #"{"lot":"L-\#(lots)","product":"Tomatoes","plot":"p1","grams":24000}"#,
            &random)
    }

    /// Returns a command on a lot. If the ledger refuses it, it must refuse every repetition in the same way.
    private mutating func lot(_ random: inout SplitMix64) -> Command {
        guard !free.isEmpty else { return harvest(&random) }
        let lot = free[Int(random.next() % UInt64(free.count))]
        switch random.next() % 3 {
        case 0:
            lots += 1
            return command(
                SimulationRun.hub, "split-lot", #"{"lot":"\#(lot)","into":"L-\#(lots)","grams":8000}"#, &random)
        case 1: return command(SimulationRun.hub, "pack-lot", #"{"lot":"\#(lot)","boxes":4,"gramsEach":2000}"#, &random)
        default: return command(SimulationRun.hub, "store-lot", #"{"lot":"\#(lot)","store":"s1"}"#, &random)
        }
    }

    /// Returns one to four reports of a device, sometimes with one that was sent before.
    private mutating func adverts(_ random: inout SplitMix64, at now: Int64) -> Command {
        let device = Int(random.next() % UInt64(Self.devices))
        var adverts: [String] = []
        if random.next() % 6 == 0, let again = lastAdverts[device] { adverts.append(again) }
        for place in 0..<(1 + random.next() % 4) {
            sequences[device, default: 0] += 1
            let advert = Self.ruuvi(
                device, sequences[device] ?? 0, centidegrees: 500 + Int(random.next() % 600),
                at: now + Int64(place) * 1_000_000)
            lastAdverts[device] = advert
            adverts.append(advert)
        }
        let to = SimulationRun.origins[device % SimulationRun.origins.count]
        return command(to, "ingest-adverts", #"{"adverts":[\#(adverts.joined(separator: ","))]}"#, &random)
    }

    /// Returns an advertisement in RuuviTag data format 5.
    private static func ruuvi(_ device: Int, _ sequence: Int, centidegrees: Int, at now: Int64) -> String {
        let address = "c000000000" + hex(device)
        let data =
            "05" + hex(centidegrees * 2, 4) + "4000" + "c350" + "000400040400" + "ac36" + "01" + hex(sequence, 4)
            + address
        // The time is part of the report: an advertisement that is sent again is the same report. Times lie a day in
        // the
        // past, so no clock of the simulation is behind them. They increase, because pruning removes a range of times.
        let at = Instant(microseconds: SimulationRun.epoch + now - 86_400_000_000)
        return #"{"address":"\#(address)","hex":"1bff9904\#(data)","at":"\#(at)"}"#
    }

    private static func hex(_ number: Int, _ digits: Int = 2) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
