import BluetoothCentral
import JSON
import System

/// The settings of a hub.
struct RadioHubOptions {
    /// The address of the farm, without a path.
    let farm: String
    let token: String
    let authority: String?
    let controller: ControllerAddress
    let home: String
    let profiles: [GATTProfile]
    /// The folder into which cameras write; nil if there is none.
    let cameras: String?
    /// Whether what is received of beacons is sent each second, for stocktakes.
    let isRanging: Bool

    static let help = """
        furrow-hub: receives Bluetooth sensors near this box and delivers their values to a farm

          furrow-hub --farm URL --token FILE [options]
          furrow-hub status [--home DIR] [--json]

          --farm URL         the address of the farm: https://farm.example (FURROW_HUB_FARM)
          --controller NAME  the Bluetooth controller (FURROW_HUB_CONTROLLER): bluez, the first adapter of this box
                             (default); bluez:hci1, another one; or a path where HCI in H4 form is spoken: a serial
                             line such as /dev/ttyACM0, a pseudo-terminal, or a Unix socket; none: cameras only
          --token FILE       the gateway's token, from the farm's page Sensors (or FURROW_HUB_TOKEN)
          --cameras DIR      a folder into which cameras write: DIR/plot/NAME/ or DIR/store/NAME/, below it a folder for
                             each camera if there are several. A picture that the farm has recorded is removed
          --ranging off      does not send each second what is received of beacons, which stocktakes need
          --profiles FILE    what to do with devices that have to be connected; known without it: SensorTag CC2650
          --authority FILE   the PEM file of the authority of the farm's certificate; default: the system's
          --home DIR         where reports wait for the farm, for seven days (default: /var/lib/furrow-hub)

        It runs until SIGTERM or Ctrl-C. Reports that the farm has not accepted are delivered after the next start.

        """

    /// The default of `--home`.
    static let home = "/var/lib/furrow-hub"

    /// Reads the settings. Throws what is missing or wrong.
    init(_ words: [String], environment: (String) -> String?) throws(UsageError) {
        let given = try CommandOptions(
            words,
            of: ["--farm", "--controller", "--token", "--profiles", "--authority", "--home", "--cameras", "--ranging"])
        guard var farm = given["--farm"] ?? environment("FURROW_HUB_FARM") else {
            throw UsageError("--farm is missing: the address of the farm, such as https://farm.example")
        }
        while farm.hasSuffix("/") { farm.removeLast() }
        guard farm.hasPrefix("http://") || farm.hasPrefix("https://") else {
            throw UsageError("--farm wants an address that begins with https:// or http://, not \(farm)")
        }
        self.farm = farm
        controller = try ControllerAddress(given["--controller"] ?? environment("FURROW_HUB_CONTROLLER") ?? "bluez")
        authority = given["--authority"]
        home = given["--home"] ?? Self.home
        cameras = given["--cameras"]
        let ranging = given["--ranging"] ?? "on"
        guard ["on", "off"].contains(ranging) else { throw UsageError("--ranging is on or off, not \(ranging)") }
        isRanging = ranging == "on"
        token = try Self.token(given["--token"], environment("FURROW_HUB_TOKEN"))
        profiles = try Self.profiles(given["--profiles"])
    }

    private static func token(_ file: String?, _ variable: String?) throws(UsageError) -> String {
        let text =
            try file.map { path throws(UsageError) in try read(path, QueueLimits.tokenBytes) } ?? variable ?? ""
        let token = text.filter { !$0.isWhitespace }
        guard !token.isEmpty else {
            throw UsageError("--token is missing: a file with the token from the farm's page Sensors")
        }
        return token
    }

    private static func profiles(_ file: String?) throws(UsageError) -> [GATTProfile] {
        let builtIn = try profiles(in: GATTProfile.builtIn, "the built-in profiles")
        guard let file else { return builtIn }
        // The farm's own profiles come first, so that they can replace a built-in one.
        return try profiles(in: try read(file, CentralLimits.profileBytes), file) + builtIn
    }

    private static func profiles(in text: String, _ name: String) throws(UsageError) -> [GATTProfile] {
        do throws(JSONError) {
            return try GATTProfile.all(in: text)
        } catch {
            throw UsageError("\(name): \(error.path.isEmpty ? "" : "\(error.path): ")\(error.message)")
        }
    }

    private static func read(_ path: String, _ limit: Int) throws(UsageError) -> String {
        do throws(SystemError) {
            return String(decoding: try File.read(path, limit: limit), as: UTF8.self)
        } catch {
            throw UsageError("\(error)")
        }
    }
}
