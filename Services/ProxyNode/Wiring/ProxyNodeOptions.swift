import HTTP
import Sharing
import System

/// The settings of a node.
struct ProxyNodeOptions {
    /// The addresses of the farms, without a path.
    let upstreams: [String]
    /// The addresses of other web sites, without a path.
    let sites: [String]
    /// The addresses that sites may have: public ones over TLS, and those of listed networks.
    let sitePolicy: AddressPolicy
    let address: String
    /// The port of the first farm; each further farm, then each site, has the next one. 0 lets the system choose.
    let port: Int
    let home: String
    let diskBytes: Int
    /// The addresses of other nodes, with their ports and without a path.
    let peers: [String]
    /// Whether it announces itself and looks for others.
    let isDiscovering: Bool
    let authority: String?
    let identity: TLSIdentity?

    static let help = """
        furrow-node: passes on the public pages of farms where there is no network, or a slow one

          furrow-node --upstream URL [--upstream URL]... [options]
          furrow-node status [--home DIR] [--json]

          --upstream URL      the address of a farm: https://farm.example (FURROW_NODE_UPSTREAM, separated by spaces);
                              up to 8
          --site URL          another web site whose public pages are passed on, https://news.example (FURROW_NODE_SITES,
                              separated by spaces): its pages run in a sandbox, and only GET is passed on. Farms and
                              sites together: up to 8
          --site-networks LIST  private networks in which sites may be, 10.1.0.0/16; default: public addresses alone
          --port PORT         the port of the first farm, the next one for each further farm and site (default: 8090)
          --address ADDRESS   the address to listen on (default: 127.0.0.1; 0.0.0.0 for the phones of a network)
          --home DIR          where responses are stored (default: /var/lib/furrow-node)
          --disk MIB          how much of them (default: 2048)
          --peer URL          another node in the same network, http://HOST:PORT; up to 16. Nodes that announce
                              themselves are found by Avahi, if it runs here
          --discovery off     does not announce this node, and looks for no others
          --authority FILE    the PEM file of the authority of the farms' certificates; default: the system's
          --certificate FILE  PEM files of the node's own certificate and key, to serve pages over TLS
          --key FILE

        It stores what every visitor may read, and never passes on passwords, orders or cookies. Requests that it cannot
        serve are fetched when it has a network again. It runs until SIGTERM or Ctrl-C.

        """

    /// The default of `--home`.
    static let home = "/var/lib/furrow-node"

    /// Reads the settings. Throws what is missing or wrong.
    init(_ words: [String], environment: (String) -> String?) throws(UsageError) {
        let given = try CommandOptions(
            words,
            of: [
                "--upstream", "--site", "--site-networks", "--port", "--address", "--home", "--disk", "--peer",
                "--discovery", "--authority",
                "--certificate", "--key",
            ])
        let named = environment("FURROW_NODE_UPSTREAM").map { $0.split(separator: " ").map(String.init) } ?? []
        upstreams = try Self.upstreams(given.all("--upstream").isEmpty ? named : given.all("--upstream"))
        let namedSites = environment("FURROW_NODE_SITES").map { $0.split(separator: " ").map(String.init) } ?? []
        sites = try Self.addresses(
            given.all("--site").isEmpty ? namedSites : given.all("--site"), of: "--site", besides: upstreams)
        guard let policy = AddressPolicy(allowing: given["--site-networks"] ?? "") else {
            throw UsageError("--site-networks wants networks such as 10.1.0.0/16, separated by commas")
        }
        sitePolicy = policy
        address = given["--address"] ?? environment("FURROW_NODE_ADDRESS") ?? "127.0.0.1"
        port = try Self.number(given, "--port", in: 0...65_535 - SharingLimits.farms) ?? 8_090
        home = given["--home"] ?? Self.home
        diskBytes = try Self.number(given, "--disk", in: 1...1 << 20).map { $0 << 20 } ?? NodeLimits.diskBytes
        peers = try given.all("--peer").map { text throws(UsageError) in
            guard text.wholeMatch(of: /http:\/\/[^\/ ]+:[0-9]{1,5}/) != nil else {
                throw UsageError("--peer wants the address of a node with its port, http://HOST:PORT, not \(text)")
            }
            return text
        }
        guard peers.count <= SharingLimits.namedPeers else {
            throw UsageError("--peer names \(SharingLimits.namedPeers) nodes at most")
        }
        let discovery = given["--discovery"] ?? "on"
        guard ["on", "off"].contains(discovery) else { throw UsageError("--discovery is on or off, not \(discovery)") }
        isDiscovering = discovery == "on"
        authority = given["--authority"]
        switch (given["--certificate"], given["--key"]) {
        case (nil, nil): identity = nil
        case (let certificate?, let key?):
            identity = TLSIdentity(certificatePEM: try Self.read(certificate), keyPEM: try Self.read(key))
        default: throw UsageError("--certificate and --key belong together")
        }
    }

    /// The farms' numbers by their hosts, with the port if the address has one.
    var hosts: [String: Int] {
        var hosts: [String: Int] = [:]
        for (number, address) in upstreams.enumerated() {
            guard let scheme = address.firstRange(of: "://") else { continue }
            hosts[address[scheme.upperBound...].lowercased()] = number
        }
        return hosts
    }

    private static func upstreams(_ addresses: [String]) throws(UsageError) -> [String] {
        guard !addresses.isEmpty else {
            throw UsageError("--upstream is missing: the address of a farm, such as https://farm.example")
        }
        return try Self.addresses(addresses, of: "--upstream", besides: [])
    }

    /// Reads addresses of farms or sites, which are none of the others.
    private static func addresses(
        _ addresses: [String], of option: String, besides others: [String]
    ) throws(UsageError) -> [String] {
        guard addresses.count + others.count <= SharingLimits.farms else {
            throw UsageError("a node serves \(SharingLimits.farms) farms and sites at most")
        }
        var upstreams: [String] = []
        for given in addresses {
            var address = given
            while address.hasSuffix("/") { address.removeLast() }
            guard let scheme = address.firstRange(of: "://"),
                ["http", "https"].contains(address[..<scheme.lowerBound]),
                !address[scheme.upperBound...].isEmpty, !address[scheme.upperBound...].contains("/")
            else {
                throw UsageError(
                    "\(option) wants an address without a path that begins with https:// or http://, not \(given)")
            }
            guard !(others + upstreams).contains(address) else { throw UsageError("\(option) names \(address) twice") }
            upstreams.append(address)
        }
        return upstreams
    }

    private static func number(
        _ given: CommandOptions, _ name: String, in range: ClosedRange<Int>
    ) throws(UsageError) -> Int? {
        guard let text = given[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw UsageError("\(name) wants a number from \(range.lowerBound) to \(range.upperBound), not \(text)")
        }
        return number
    }

    private static func read(_ path: String) throws(UsageError) -> String {
        do throws(SystemError) {
            return String(decoding: try File.read(path, limit: NodeLimits.settingsBytes), as: UTF8.self)
        } catch {
            throw UsageError("\(error)")
        }
    }
}
