import HTTP
import Sharing

/// The pages of a node itself. They contain no script: they load themselves again.
enum NodePages {
    /// The security headers of these pages.
    static let headers: HTTPHeaders = [
        "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
        "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
    ]

    /// Returns the page that is shown until the requested page was fetched.
    static func waiting(_ farm: String, _ target: String) -> [UInt8] {
        page(
            title: "Waiting for a network", reload: 15,
            """
            <p>This page is not here yet, and there is no network at the moment. Your request is stored. It is sent as soon
            as there is a network, and this page then shows what you requested.</p>
            <p class="quiet">Requested: <code>\(escaped(farm + target))</code></p>
            <p><a href="\(escaped(target))">Check now</a> · <a href="\(NodeRequest.prefix)">What is here</a></p>
            """)
    }

    /// Returns the page that is shown instead of one that asks for passwords or orders.
    static func farmOnly(_ farm: String, _ target: String) -> [UInt8] {
        page(
            title: "Open this page at the farm", reload: nil,
            """
            <p>This is a local copy of the farm's pages, for places without a network. It is not the farm: do not
            enter a password or an order here.</p>
            <p><a href="\(escaped(farm + target))">Continue at the farm's own address</a></p>
            <p><a href="/">Back to the local copy</a></p>
            """)
    }

    /// A farm on the page of a node.
    struct Farm {
        let address: String
        let isSite: Bool
        let state: String
        let entries: [(target: String, age: String)]
    }

    /// Another node on the page of a node.
    struct Peer {
        let address: String
        let state: String
        let targets: [String]
    }

    /// Returns a link to an address, with what it is in words.
    private static func link(_ target: String) -> String {
        "<a href=\"\(escaped(target))\">\(escaped(title(of: target)))</a>"
    }

    /// Returns what an address shows; the address itself if that is not known.
    private static func title(of target: String) -> String {
        let path = target.prefix { $0 != "?" }.split(separator: "/")
        switch (path.first, path.count) {
        case (nil, _): return "The shop"
        case ("v1", 2) where path[1] == "sync": return "The shop's records"
        case ("v1", 2) where path[1] == "shelves": return "Suggestions"
        case ("v1", 4) where path[1] == "lots" && path[3] == "passport": return "Story of lot \(path[2])"
        case ("ledger", 2) where path[1] == "keys": return "Keys of the farm"
        case ("ledger", 2) where path[1] == "checkpoint": return "Checkpoint of the farm's log"
        default: return target
        }
    }

    private static func section(_ peers: [Peer]) -> String {
        guard !peers.isEmpty else { return "<p>None.</p>" }
        return peers.map { peer in
            // Each address is opened here: this node fetches it from there, and checks that it is the farm's.
            let pictures = peer.targets.count { $0.hasPrefix("/media/") }
            let links =
                peer.targets.filter { !$0.hasPrefix("/media/") }.map { "<li>\(link($0))</li>" }
                + (pictures > 0 ? ["<li>\(pictures) picture\(pictures == 1 ? "" : "s")</li>"] : [])
            let list =
                links.isEmpty ? "<p class=\"quiet\">It has nothing of this farm.</p>" : "<ul>\(links.joined())</ul>"
            return "<h3>\(escaped(peer.address))</h3><p class=\"quiet\">\(escaped(peer.state))</p>\(list)"
        }.joined()
    }

    /// Returns the page about a node: what is stored of a farm, and what waits for a network.
    static func overview(
        _ farm: Farm, stored: String, requests: [(target: String, state: String)],
        sites: [(address: String, link: String)], peers: [Peer]
    ) -> [UInt8] {
        let rows = farm.entries.map { entry in
            "<tr><td>\(link(entry.target))</td><td>\(escaped(entry.age))</td></tr>"
        }
        let table =
            rows.isEmpty
            ? "<p>Nothing is stored yet.</p>"
            : "<table><thead><tr><th scope=\"col\">What</th>"
                + "<th scope=\"col\">From the farm</th></tr></thead><tbody>\(rows.joined())</tbody></table>"
        let waiting = requests.map { "<li><code>\(escaped($0.target))</code>: \(escaped($0.state))</li>" }
        let list = waiting.isEmpty ? "<p>None.</p>" : "<ul>\(waiting.joined())</ul>"
        let others = sites.map { "<li><a href=\"\(escaped($0.link))\">\(escaped($0.address))</a></li>" }
        let otherSites =
            others.isEmpty ? "" : "<section><h2>Other web sites here</h2><ul>\(others.joined())</ul></section>"
        return page(
            title: "What is here", reload: 30,
            """
            <p>\(escaped(farm.state)) Its own address is
            <a href="\(escaped(farm.address))/">\(escaped(farm.address))</a>\(farm.isSite ? "." : "; sign in and order there.")</p>
            <p><a href="/">Open the \(farm.isSite ? "site" : "farm's pages")</a></p>
            \(otherSites)
            <section><h2>Requested most</h2>\(table)<p class="quiet">\(escaped(stored))</p></section>
            <section><h2>Requested without a network</h2>\(list)</section>
            <section><h2>Other nodes nearby</h2>\(section(peers))</section>
            """)
    }

    /// - Parameter reload: the seconds after which the page loads itself again; nil if it does not.
    private static func page(title: String, reload: Int?, _ content: String) -> [UInt8] {
        let refresh = reload.map { "<meta http-equiv=\"refresh\" content=\"\($0)\">" } ?? ""
        return Array(
            """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            \(refresh)<title>\(title)</title><style>
            :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
            body { max-width: 46rem; margin: 0 auto; padding: 1.5rem 1rem; overflow-wrap: anywhere }
            h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin-top: 2rem } h3 { font-size: 1rem; margin: 1rem 0 0 } .quiet { opacity: .75 }
            table { border-collapse: collapse; width: 100% } caption { text-align: left; font-weight: 600 }
            th, td { text-align: left; padding: .4rem .6rem .4rem 0; border-bottom: 1px solid #8886 }
            a { display: inline-block; padding: .3rem 0 }
            </style></head><body><main><h1>\(title)</h1>
            \(content)
            </main></body></html>
            """.utf8)
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}
