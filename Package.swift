// swift-tools-version: 6.3
import Foundation
import PackageDescription

// Every module, lowest layer first. A module may depend only on modules declared above it; ArchitectureTests checks it.

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
    clang("CZlib", apt: "zlib1g-dev", pkgConfig: "zlib"),
    clang("CTurboJPEG", apt: "libturbojpeg0-dev"),
    clang("CPNG", apt: "libpng-dev"),
    clang("CWebP", apt: "libwebp-dev"),
    clang("CSystemd", apt: "libsystemd-dev"),
    clang("CNATS", apt: "libnats-dev"),
    .target(
        name: "CSimdJSON", path: "Shared/C/CSimdJSON", publicHeadersPath: "include",
        linkerSettings: [.linkedLibrary("simdjson"), .linkedLibrary("stdc++")]),
    .target(name: "CSystem", path: "Shared/C/CSystem", publicHeadersPath: "include"),
]

// L1  Ground: drivers (Swift over C, the only unsafe code) and the pure modules that all others import.
let ground: [Target] = [
    driver("ZeroMQ", over: "CZeroMQ"),
    driver("SQLite", over: "CSQLite"),
    driver("Postgres", over: "CPostgres"),
    driver("HTTP", over: "CMicroHTTPD", "CCurl"),
    driver("JSON", over: "CSimdJSON"),
    driver("Crypto", over: "COpenSSL", "CSodium"),
    driver("Printing", over: "CQREncode", "CCairo"),
    driver("System", over: "CSystem"),
    driver("Zstd", over: "CZstd"),
    driver("Zlib", over: "CZlib"),
    driver("Imaging", over: "CTurboJPEG", "CPNG", "CWebP"),
    driver("DBus", over: "CSystemd"),
    driver("NATS", over: "CNATS"),
    shared("Telemetry", needs: []),
    shared("Vocabulary", needs: ["JSON"]),
    shared("EventSourcing", needs: ["JSON", "Vocabulary"]),
    shared("Wire", needs: ["JSON", "Crypto", "Vocabulary", "EventSourcing"]),
]

// L2  Language: every event that services publish, generated from its declaration by deploy/generate.
let language: [Target] = [
    shared("Events", needs: ["JSON", "Vocabulary", "EventSourcing", "Wire"])
]

// L2  Declarations: every event once, with its documents; the program `generate` writes their Swift types. The image of
// the services is built without Tests and has no `generate`: each of its programs but furrow is a service with keys.
let declarations: [Target] = [
    module("Declarations", at: "Shared/Declarations", needs: ["JSON", "Vocabulary"], except: ["Main"])
]
let generate = Target.executableTarget(
    name: "generate", dependencies: ["Declarations", "System"], path: "Shared/Declarations/Main")

// L2  Decoders: bytes of BLE and ZigBee devices to readings.
let decoders: [Target] = [
    shared("Radio", needs: ["Crypto", "JSON", "Vocabulary"])
]

// L3  Plumbing: event stores, the event bus, and the runtime that drives a service.
let plumbing: [Target] = [
    shared(
        "EventStore",
        needs: [
            "System", "SQLite", "Crypto", "Zstd", "JSON", "Vocabulary", "EventSourcing", "Wire", "Telemetry",
        ]),
    shared(
        "HubStore",
        needs: ["Postgres", "Crypto", "JSON", "Vocabulary", "EventSourcing", "Wire", "EventStore"]),
    shared(
        "JetStream",
        needs: ["System", "NATS", "Crypto", "JSON", "Vocabulary", "EventSourcing", "Wire", "EventStore"]),
    shared(
        "Sharing",
        needs: ["System", "SQLite", "HTTP", "JSON", "Crypto", "DBus", "Vocabulary", "Wire", "Telemetry"]),
    shared("BluetoothCentral", needs: ["JSON", "DBus", "Vocabulary", "Radio"]),
    shared("Vault", needs: ["System", "SQLite", "Crypto", "Vocabulary", "EventSourcing", "EventStore"]),
    shared(
        "EventBus",
        needs: ["System", "ZeroMQ", "Zstd", "JSON", "Vocabulary", "EventSourcing", "Wire", "Telemetry"]),
    shared(
        "Host",
        needs: [
            "System", "HTTP", "SQLite", "Crypto", "JSON", "Telemetry", "Vocabulary", "EventSourcing", "Wire",
            "Events", "EventStore", "JetStream", "EventBus", "ZeroMQ",
        ]),
    shared(
        "TestKit",
        needs: ["System", "Crypto", "JSON", "Vocabulary", "EventSourcing", "Wire", "Events", "EventStore"]),
]

// L4  Services: one library each. L5: an executable whose Main only starts the library.
let services: [Target] =
    service(
        "SensorIngest", runs: "sensor-ingest",
        needs: language.names + ["Radio", "System", "ZeroMQ", "HTTP", "Crypto", "EventStore", "EventBus", "Host"]
            + words)
    + service(
        "TraceLedger", runs: "trace-ledger",
        needs: language.names + ["System", "Postgres", "Crypto", "EventStore", "HubStore", "Vault", "EventBus", "Host"]
            + words)
    + service(
        "CatalogOrders", runs: "catalog-orders",
        needs: language.names + ["Radio", "EventStore", "Vault", "EventBus", "Host"] + words)
    + service(
        "Recommender", runs: "recommender",
        needs: language.names + ["Crypto", "EventStore", "EventBus", "Host"] + words)
    + service(
        "SyncGateway", runs: "sync-gateway",
        needs: language.names + [
            "System", "SQLite", "Crypto", "HTTP", "Imaging", "Printing", "Zlib", "EventStore", "Vault",
            "EventBus", "Host", "Declarations",
        ]
            + words)

// The client library for apps, and the only library product of this package.
let client: [Target] = [
    module(
        "FarmClient", at: "Shared/FarmClient",
        needs: language.names + [
            "System", "SQLite", "HTTP", "Crypto", "JSON", "Vocabulary", "EventSourcing", "Wire", "Telemetry", "Radio",
            "Sharing",
        ])
]

// The box near the sensors. It links no libpq and imports no service: it calls the gateway's API.
let radioHub: [Target] = [
    module(
        "RadioHub", at: "Services/RadioHub",
        needs: [
            "System", "SQLite", "HTTP", "JSON", "Crypto", "DBus", "Vocabulary", "Telemetry", "Radio",
            "BluetoothCentral",
        ],
        except: ["Main"]),
    .executableTarget(name: "furrow-hub", dependencies: ["RadioHub"], path: "Services/RadioHub/Main"),
]

// The node that passes on public pages where there is no network. It imports no service: it calls the gateway's API.
let proxyNode: [Target] = [
    module(
        "ProxyNode", at: "Services/ProxyNode",
        needs: ["System", "SQLite", "HTTP", "JSON", "Crypto", "Vocabulary", "Wire", "Telemetry", "Sharing"],
        except: ["Main"]),
    .executableTarget(name: "furrow-node", dependencies: ["ProxyNode"], path: "Services/ProxyNode/Main"),
]

// The operator's command reads the rules and projections of the services; no module imports it.
let console: [Target] = [
    module(
        "Console", at: "Services/Console",
        needs: language.names
            + [
                "Declarations", "Radio", "SensorIngest", "TraceLedger", "CatalogOrders", "Recommender", "SyncGateway",
                "EventStore", "HubStore", "JetStream", "Vault", "EventBus", "Host",
            ]
            + ["System", "ZeroMQ", "SQLite", "Postgres", "HTTP", "Imaging", "Crypto"] + words, except: ["Main"]),
    .executableTarget(name: "furrow", dependencies: ["Console"], path: "Services/Console/Main"),
]

// Simulated days of the whole pipeline: a program, because it has to be fast.
let simulation = Target.executableTarget(
    name: "simulation",
    dependencies: ([
        "TestKit", "Host", "SensorIngest", "TraceLedger", "EventStore", "HubStore", "EventBus", "Events", "Crypto",
        "System",
    ]
        + words).map { .byName(name: $0) }, path: "Tests/Simulation", exclude: pages(in: "Tests/Simulation"))

// The smallest app on FarmClient, called by its tests: a starting point for an app.
let buyer = Target.executableTarget(
    name: "buyer", dependencies: ["FarmClient", "JSON", "Vocabulary"], path: "Tests/Examples/Buyer")

// Mutated inputs for every parser of foreign bytes: as tests and, with FURROW_FUZZ (Tests/Fuzz/run.py), as a program
// that links with libFuzzer.
let readers: [Target.Dependency] =
    ([
        "Radio", "BluetoothCentral", "SensorIngest", "SyncGateway", "Sharing", "ProxyNode", "Host", "HTTP",
        "EventStore", "Vault", "EventBus", "Events", "Crypto", "System", "Printing", "TestKit",
    ] + words).map { .byName(name: $0) }
let fuzz: [Target] =
    Context.environment["FURROW_FUZZ"] == nil
    ? [
        .testTarget(
            name: "FuzzTests", dependencies: readers, path: "Tests/Fuzz",
            exclude: ["C", "Readers/main.swift", "run.py"] + pages(in: "Tests/Fuzz"))
    ]
    : [
        .systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/C"),
        .executableTarget(
            name: "fuzz", dependencies: ["CFuzzer"] + readers, path: "Tests/Fuzz/Readers",
            exclude: ["MutatedInputTests.swift"]),
    ]

let modules =
    libraries + ground + language + declarations + decoders + plumbing + services + client + radioHub + proxyNode
    + console
let testTargets =
    modules.compactMap { tested($0, among: modules.names) }
    + (exists("Tests") ? [generate] : [])
    + (exists("Tests/Simulation") ? [simulation] : []) + (exists("Tests/Examples/Buyer") ? [buyer] : [])
    + (exists("Tests/Fuzz") ? fuzz : [])
    + (exists("Tests/ArchitectureTests")
        ? [.testTarget(name: "ArchitectureTests", path: "Tests/ArchitectureTests")] : [])

let package = Package(
    name: "furrow",
    products: [.library(name: "FarmClient", targets: ["FarmClient"])],
    targets: modules + testTargets
)

/// The pure modules that every service imports.
var words: [String] { ["JSON", "Vocabulary", "EventSourcing", "Wire", "Telemetry"] }

/// A C library that Debian packages.
func clang(_ name: String, apt package: String, pkgConfig: String? = nil) -> Target {
    .systemLibrary(
        name: name, path: "Shared/C/\(name)", pkgConfig: pkgConfig, providers: [.apt([package])])
}

/// Swift over one or two C libraries.
func driver(_ name: String, over libraries: String...) -> Target {
    module(name, at: "Shared/Drivers/\(name)", needs: libraries)
}

/// A module that every service may import.
func shared(_ name: String, needs modules: [String]) -> Target {
    module(name, at: "Shared/\(name)", needs: modules)
}

func module(_ name: String, at path: String, needs modules: [String], except: [String] = []) -> Target {
    .target(
        name: name, dependencies: modules.map { .byName(name: $0) }, path: path,
        exclude: except.filter { exists("\(path)/\($0)") } + pages(in: path))
}

/// A service: a library, and an executable of a few lines.
func service(_ name: String, runs product: String, needs modules: [String]) -> [Target] {
    [
        module(name, at: "Services/\(name)", needs: modules, except: ["Main", "Web"]),
        .executableTarget(name: product, dependencies: [.byName(name: name)], path: "Services/\(name)/Main"),
    ]
}

/// The tests of a module, in the folder `Tests/<Module>Tests`. They depend on the module and on its dependencies.
func tested(_ module: Target, among modules: [String]) -> Target? {
    let path = "Tests/\(module.name)Tests"
    guard module.type == .regular, exists(path) else { return nil }
    let kit: [Target.Dependency] = modules.contains("TestKit") && module.name != "TestKit" ? ["TestKit"] : []
    // Pruning is tested on every engine, the hub's too.
    let engines: [Target.Dependency] = module.name == "Host" ? ["HubStore"] : []
    // The generated types are tested against their declarations.
    let declared: [Target.Dependency] = module.name == "Events" ? ["Declarations"] : []
    return .testTarget(
        name: "\(module.name)Tests",
        dependencies: [.byName(name: module.name)] + module.dependencies + kit + engines + declared,
        path: path)
}

/// The pages of documentation beside the code of a target, relative to its folder.
func pages(in path: String) -> [String] {
    let files = FileManager.default.enumerator(atPath: Context.packageDirectory + "/" + path)
    return (files?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".md") }.sorted()
}

func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: Context.packageDirectory + "/" + path)
}

extension [Target] {
    var names: [String] { map(\.name) }
}

/// The same compiler settings for every target.
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

/// A span of a parsed document cannot outlive the document and needs no reference count.
for target in package.targets where target.name == "JSON" {
    target.swiftSettings?.append(.enableExperimentalFeature("Lifetimes"))
}

/// Arithmetic, and patterns matched against every line, take minutes without inlining.
for target in package.targets where ["Recommender", "ArchitectureTests"].contains(target.name) {
    target.swiftSettings?.append(.unsafeFlags(["-O"], .when(configuration: .debug)))
}

/// The macros of tests take minutes to optimize; what they test is optimized.
for target in package.targets where target.isTest && target.name != "ArchitectureTests" {
    target.swiftSettings?.append(.unsafeFlags(["-Onone"], .when(configuration: .release)))
}
