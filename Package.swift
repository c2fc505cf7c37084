// swift-tools-version: 6.3
import Foundation
import PackageDescription

// The house, from the ground up. A room may only name rooms declared above it; ArchitectureTests keeps that true.

// L0  C: one module map and one shim per library that Debian packages.
let libraries: [Target] = [
    clang("CZeroMQ", apt: "libzmq3-dev"),
    clang("CSQLite", apt: "libsqlite3-dev"),
    clang("CPostgres", apt: "libpq-dev", pkgConfig: "libpq"),
    clang("CMicroHTTPD", apt: "libmicrohttpd-dev"),
    clang("CCurl", apt: "libcurl4-openssl-dev"),
    clang("COpenSSL", apt: "libssl-dev"),
    clang("CSodium", apt: "libsodium-dev"),
    clang("CQREncode", apt: "libqrencode-dev"),
    clang("CCairo", apt: "libcairo2-dev", pkgConfig: "cairo"),
    clang("CZstd", apt: "libzstd-dev"),
    .target(
        name: "CSimdJSON", path: "Shared/C/CSimdJSON", publicHeadersPath: "include",
        linkerSettings: [.linkedLibrary("simdjson"), .linkedLibrary("stdc++")]),
    .target(name: "CSystem", path: "Shared/C/CSystem", publicHeadersPath: "include"),
]

// L1  Ground: drivers (Swift over C, the only unsafe code) and the pure words everything else is made of.
let ground: [Target] = [
    driver("ZeroMQ", over: "CZeroMQ"),
    driver("SQLite", over: "CSQLite"),
    driver("Postgres", over: "CPostgres"),
    driver("HTTP", over: "CMicroHTTPD", "CCurl"),
    driver("JSON", over: "CSimdJSON"),
    driver("Crypto", over: "COpenSSL", "CSodium"),
    driver("LabelRendering", over: "CQREncode", "CCairo"),
    driver("System", over: "CSystem"),
    driver("Zstd", over: "CZstd"),
    shared("Telemetry", needs: []),
    shared("Vocabulary", needs: ["JSON"]),
    shared("EventSourcing", needs: ["JSON", "Vocabulary"]),
    shared("Wire", needs: ["JSON", "Crypto", "Vocabulary", "EventSourcing"]),
]

// L2  Language: every fact that services tell each other.
let language: [Target] = [
    shared("Events", needs: ["JSON", "Vocabulary", "EventSourcing", "Wire"])
]

// L3  Plumbing: where facts are kept, how they travel, what drives a service.
let plumbing: [Target] = [
    shared(
        "EventStore",
        needs: [
            "System", "SQLite", "Crypto", "Zstd", "JSON", "Vocabulary", "EventSourcing", "Wire", "Telemetry",
        ]),
    shared(
        "HubStore",
        needs: ["Postgres", "Crypto", "JSON", "Vocabulary", "EventSourcing", "Wire", "EventStore"]),
    shared("Vault", needs: ["System", "SQLite", "Crypto", "Vocabulary", "EventSourcing", "EventStore"]),
    shared(
        "EventBus",
        needs: ["System", "ZeroMQ", "Zstd", "JSON", "Vocabulary", "EventSourcing", "Wire", "Telemetry"]),
    shared(
        "Host",
        needs: [
            "System", "HTTP", "SQLite", "Crypto", "JSON", "Telemetry", "Vocabulary", "EventSourcing", "Wire",
            "Events", "EventStore", "EventBus", "ZeroMQ",
        ]),
    shared(
        "TestKit",
        needs: ["System", "Crypto", "JSON", "Vocabulary", "EventSourcing", "Wire", "Events", "EventStore"]),
]

// L4  Services: each a library that holds its rooms. L5: a Main that only opens the door.
let services: [Target] =
    [room("Radio", at: "Services/SensorIngest/Radio", needs: ["Crypto", "JSON", "Vocabulary"])]
    + service(
        "SensorIngest", runs: "sensor-ingest",
        needs: language.names + ["Radio", "System", "ZeroMQ", "HTTP", "Crypto", "EventStore", "EventBus", "Host"]
            + words)
    + service(
        "TraceLedger", runs: "trace-ledger",
        needs: language.names + ["System", "Postgres", "Crypto", "EventStore", "HubStore", "Vault", "EventBus", "Host"] + words)
    + service(
        "CatalogOrders", runs: "catalog-orders",
        needs: language.names + ["EventStore", "Vault", "EventBus", "Host"] + words)
    + service(
        "Recommender", runs: "recommender",
        needs: language.names + ["Crypto", "EventStore", "EventBus", "Host"] + words)
    + service(
        "SyncGateway", runs: "sync-gateway",
        needs: language.names + [
            "System", "SQLite", "Crypto", "HTTP", "LabelRendering", "EventStore", "Vault", "EventBus", "Host",
        ]
            + words)

// What apps are made of: a buyer's side of the farm, with and without a network. The one library for others.
let client: [Target] = [
    room(
        "FarmClient", at: "Shared/FarmClient",
        needs: language.names + ["System", "SQLite", "HTTP", "Crypto", "JSON", "Vocabulary", "EventSourcing", "Wire"],
        except: ["README.md"])
]

// The operator's command reads what services decide and fold; nothing imports it.
let console: [Target] = [
    room(
        "Console", at: "Services/Console",
        needs: language.names
            + [
                "Radio", "SensorIngest", "TraceLedger", "CatalogOrders", "Recommender", "SyncGateway", "EventStore",
                "HubStore", "Vault", "EventBus", "Host",
            ]
            + ["System", "ZeroMQ", "SQLite", "Postgres", "HTTP", "Crypto"] + words, except: ["Main"]),
    .executableTarget(name: "furrow", dependencies: ["Console"], path: "Services/Console/Main"),
]

// Simulated days of the whole pipeline: a program, because it has to be fast.
let simulation = Target.executableTarget(
    name: "simulation",
    dependencies: ([
        "TestKit", "Host", "SensorIngest", "TraceLedger", "EventStore", "HubStore", "EventBus", "Events", "Crypto", "System",
    ]
        + words).map { .byName(name: $0) }, path: "Tests/Simulation")

// The smallest app on FarmClient: what tests of it call, and where to begin with one's own.
let buyer = Target.executableTarget(
    name: "buyer", dependencies: ["FarmClient", "JSON", "Vocabulary"], path: "Tests/Examples/Buyer")

// Made-up bytes for whatever reads bytes from outside: as tests, and with FURROW_FUZZ (Tests/Fuzz/run.py) as a program,
// which only links with libFuzzer.
let readers: [Target.Dependency] =
    ([
        "Radio", "SensorIngest", "SyncGateway", "Host", "HTTP", "EventStore", "Vault", "EventBus", "Events", "Crypto",
        "System",
        "TestKit",
    ] + words).map { .byName(name: $0) }
let fuzz: [Target] =
    Context.environment["FURROW_FUZZ"] == nil
    ? [
        .testTarget(
            name: "FuzzTests", dependencies: readers, path: "Tests/Fuzz",
            exclude: ["C", "Readers/main.swift", "run.py"])
    ]
    : [
        .systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/C"),
        .executableTarget(
            name: "fuzz", dependencies: ["CFuzzer"] + readers, path: "Tests/Fuzz/Readers",
            exclude: ["MutatedInputTests.swift"]),
    ]

let rooms = libraries + ground + language + plumbing + services + client + console
let testRooms =
    rooms.compactMap { tested($0, among: rooms.names) }
    + (exists("Tests/Simulation") ? [simulation] : []) + (exists("Tests/Examples/Buyer") ? [buyer] : [])
    + (exists("Tests/Fuzz") ? fuzz : [])
    + (exists("Tests/ArchitectureTests")
        ? [.testTarget(name: "ArchitectureTests", path: "Tests/ArchitectureTests")] : [])

let package = Package(
    name: "furrow",
    products: [.library(name: "FarmClient", targets: ["FarmClient"])],
    targets: rooms + testRooms
)

/// The pure words that every service speaks.
var words: [String] { ["JSON", "Vocabulary", "EventSourcing", "Wire", "Telemetry"] }

/// A C library that Debian packages.
func clang(_ name: String, apt package: String, pkgConfig: String? = nil) -> Target {
    .systemLibrary(
        name: name, path: "Shared/C/\(name)", pkgConfig: pkgConfig, providers: [.apt([package])])
}

/// Swift over one or two C libraries.
func driver(_ name: String, over libraries: String...) -> Target {
    room(name, at: "Shared/Drivers/\(name)", needs: libraries)
}

/// A room that every service may use.
func shared(_ name: String, needs rooms: [String]) -> Target {
    room(name, at: "Shared/\(name)", needs: rooms)
}

func room(_ name: String, at path: String, needs rooms: [String], except: [String] = []) -> Target {
    .target(
        name: name, dependencies: rooms.map { .byName(name: $0) }, path: path,
        exclude: except.filter { exists("\(path)/\($0)") })
}

/// A service: its rooms as a library, and an executable of a few lines.
func service(_ name: String, runs product: String, needs rooms: [String]) -> [Target] {
    [
        room(name, at: "Services/\(name)", needs: rooms, except: ["Main", "README.md", "Radio", "Web"]),
        .executableTarget(name: product, dependencies: [.byName(name: name)], path: "Services/\(name)/Main"),
    ]
}

/// The tests of a room are the folder `Tests/<Room>Tests`; they see the room and what it sees.
func tested(_ room: Target, among rooms: [String]) -> Target? {
    let path = "Tests/\(room.name)Tests"
    guard room.type == .regular, exists(path) else { return nil }
    let kit: [Target.Dependency] = rooms.contains("TestKit") && room.name != "TestKit" ? ["TestKit"] : []
    return .testTarget(
        name: "\(room.name)Tests", dependencies: [.byName(name: room.name)] + room.dependencies + kit, path: path)
}

func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: Context.packageDirectory + "/" + path)
}

extension [Target] {
    var names: [String] { map(\.name) }
}

/// One rule book for every room.
for target in package.targets where ![.system, .plugin, .macro].contains(target.type) {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .strictMemorySafety(),
        .treatAllWarnings(as: .error),
    ]
}

/// What it lends of a document cannot outlive the document, and counts no references for it.
for target in package.targets where target.name == "JSON" {
    target.swiftSettings?.append(.enableExperimentalFeature("Lifetimes"))
}

/// Arithmetic, and patterns matched against every line: minutes where nothing is inlined; tests of them want seconds.
for target in package.targets where ["Recommender", "ArchitectureTests"].contains(target.name) {
    target.swiftSettings?.append(.unsafeFlags(["-O"], .when(configuration: .debug)))
}
