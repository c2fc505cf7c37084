import EventSourcing
import JSON
import System
import Wire
import ZeroMQ

/// `furrow device-key set DEVICE` and `furrow device-key remove DEVICE`: the key of a Bluetooth sensor that
/// encrypts, or of a ZigBee network (`zigbee:NAME`).
///
/// The key is read from standard input, so that no list of processes and no shell's history contains it.
struct DeviceKeyCommand {
    private let farmPaths: FarmPaths
    private let isJSON: Bool
    private let isRemoval: Bool
    private let device: String

    init(_ arguments: inout Arguments) throws {
        farmPaths = try FarmPaths(home: arguments.value("--home"))
        isJSON = arguments.flag("--json")
        guard let word = arguments.word(), ["set", "remove"].contains(word), let device = arguments.word() else {
            throw Refusal("The command is: furrow device-key set|remove DEVICE", isMisuse: true)
        }
        isRemoval = word == "remove"
        self.device = device
        try arguments.end()
    }

    func run() throws -> Int32 {
        var body = JSONWriter()
        body.object { $0.field("device", device) }
        if !isRemoval {
            if !isJSON { Terminal.complain("The key of \(device), 32 hexadecimal digits:") }
            guard let key = readLine(), !key.isEmpty else { throw Refusal("There is no key on the standard input.") }
            body = JSONWriter()
            body.object { json in
                json.field("device", device)
                json.field("key", key)
            }
        }
        let answer = try Console.ask(GatewayRequestName.deviceKey, farmPaths, try Context(), body: body.bytes)
        let json = try JSONValue.parse(answer.body)
        guard answer.status == 200 else {
            Terminal.complain(try json.find("detail") ?? "The gateway did not take it.")
            return 1
        }
        let known: String = try json.get("device")
        let done = isRemoval ? "removed" : "stored; its messages are decoded from now on"
        Terminal.say(isJSON ? "{\"device\":\"\(known)\",\"isSet\":\(!isRemoval)}" : "The key of \(known) is \(done).")
        return 0
    }
}
