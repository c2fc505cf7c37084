import EventSourcing
import EventStore
import Host
import JSON
import System

/// `furrow rebuild`: rebuilds views beside those in use, compares them, and switches at the service's next start.
struct RebuildCommand {
    private enum Order {
        case fold, ready, back, drop
    }

    private let farmPaths: FarmPaths
    private let isJSON: Bool
    private let order: Order
    private let isAnyway: Bool
    /// Nil for all services, which is only valid for listing.
    private let instance: ServiceInstance?

    init(_ arguments: inout Arguments) throws {
        farmPaths = try FarmPaths(home: arguments.value("--home"))
        isJSON = arguments.flag("--json")
        isAnyway = arguments.flag("--anyway")
        let orders: [(String, Order)] = [("--switch", .ready), ("--back", .back), ("--drop", .drop)]
        let given = orders.filter { arguments.flag($0.0) }
        instance = try arguments.word().map { word throws(Refusal) in try ServiceInstance(word) }
        try arguments.end()
        guard given.count < 2 else {
            throw Refusal("\(given[0].0) and \(given[1].0) exclude each other.", isMisuse: true)
        }
        order = given.first?.1 ?? .fold
        guard order == .fold || instance != nil else {
            throw Refusal("Name the service: furrow rebuild SERVICE", isMisuse: true)
        }
        guard !isAnyway || order == .ready else { throw Refusal("--anyway belongs to --switch.", isMisuse: true) }
    }

    /// Returns 1 if a table differs, the rebuild was paused, or there is nothing to switch back to.
    func run() throws -> Int32 {
        guard !farmPaths.isStack else {
            throw Refusal(
                "In a compose stack, a service rebuilds its views only when it starts.")
        }
        guard Directory.isDirectory(farmPaths.home) else { throw Refusal("There is no home \(farmPaths.home).") }
        try DropPrivileges.ifNeeded(of: farmPaths.home)
        let lock = try FileLock(path: "\(farmPaths.home)/lock")
        defer { withExtendedLifetime(lock) {} }
        let database = try HomeDatabase(farmPaths, isRunning: lock == nil)
        let code: Int32
        do {
            code = try run(database.conninfo, isRunning: lock == nil)
        } catch {
            try database.stop()
            throw Refusal(BackupCommand.sentence(error))
        }
        try database.stop()
        return code
    }

    private func run(_ conninfo: String, isRunning: Bool) throws -> Int32 {
        guard let instance else { return try list(conninfo) }
        let folder = "\(farmPaths.home)/\(instance.name)/\(instance.slot)"
        guard Directory.isDirectory(folder) else { throw Refusal("There is no \(instance) in \(farmPaths.home).") }
        guard let lock = try FileLock(path: "\(folder)/rebuild.lock") else {
            throw Refusal("The views of \(instance) are being rebuilt already.")
        }
        defer { withExtendedLifetime(lock) {} }
        let place = RebuildPlace(instance, folder: folder, conninfo: conninfo)
        switch order {
        case .fold, .ready: return try fold(place, instance.type, isRunning: isRunning)
        case .back: return try back(place)
        case .drop: return try drop(place)
        }
    }

    private func fold<S: Service>(_ place: RebuildPlace, _ type: S.Type, isRunning: Bool) throws -> Int32 {
        var work = RebuildWork(place)
        let outcome = try work.run(type, isRunning: isRunning)
        let report = RebuildReport(
            instance: place.instance, outcome: outcome, work: work, isWanted: order == .ready, isAnyway: isAnyway)
        if report.isReady { try place.viewStore.move(.next, to: .ready) }
        if isJSON { Terminal.put(report.json + [10]) } else { report.lines.forEach(Terminal.say) }
        return report.code
    }

    private func back(_ place: RebuildPlace) throws -> Int32 {
        let said: String
        if try place.viewStore.look(at: .ready) != nil {
            try place.viewStore.move(.ready, to: .next)
            said = "Nothing is switched: \(place.instance) continues with its current views."
        } else if try place.viewStore.look(at: .previous) != nil {
            try place.viewStore.move(.previous, to: .ready)
            said = "The next start of \(place.instance), by a build that projects alike, goes back to the former views."
        } else {
            Terminal.complain("There is nothing to go back to: no views of \(place.instance) were ever switched.")
            return 1
        }
        tell(said, place)
        return 0
    }

    private func drop(_ place: RebuildPlace) throws -> Int32 {
        for other in [ViewGeneration.next, .ready, .previous] { try place.viewStore.remove(other) }
        tell("Only the current views of \(place.instance) are left.", place)
        return 0
    }

    private func tell(_ said: String, _ place: RebuildPlace) {
        guard isJSON else { return Terminal.say(said) }
        var json = JSONWriter()
        json.object { json in
            json.field("service", "\(place.instance)")
            json.field("said", said)
        }
        Terminal.put(json.bytes + [10])
    }

    private func list(_ conninfo: String) throws -> Int32 {
        let found = try ViewsBeside.all(in: farmPaths, conninfo: conninfo)
        guard isJSON else {
            for views in found { Terminal.say(views.sentence) }
            if found.isEmpty { Terminal.say("There are no views beside those in use.") }
            return 0
        }
        var json = JSONWriter()
        json.object { json in
            json.field(
                "beside",
                array: { json in
                    for views in found {
                        json.object { json in
                            json.field("service", "\(views.instance)")
                            json.field("place", views.place.rawValue)
                            json.field("position", views.position)
                        }
                    }
                })
        }
        Terminal.put(json.bytes + [10])
        return 0
    }
}
