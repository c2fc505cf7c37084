import Host

/// Every command of the operator.
enum Command: String, CaseIterable {
    case run
    case status
    case doctor
    case logs
    case setupLink = "setup-link"
    case user
    case deviceKey = "device-key"
    case auditLog = "audit-log"
    case scale
    case stop
    case audit
    case rebuild
    case replay
    case backup
    case restore
    case standby
    case promote
    case cluster
    case supportBundle = "support-bundle"
    case schema
    case follow
    case clock
    case parked
    case decode
    case bench
    case simulate
    case sandboxPay = "sandbox-pay"
    case benchServe = "bench-serve"
    case initialise = "init"
    case health
    case supervise
    case watch

    var synopsis: String {
        switch self {
        case .run:
            "run [--demo [--node]] [--sandbox-pay] [--home DIR] [--port N] [--https-port M] [--ingest K] [--clock START*RATE] [--web DIR]"
        case .status: "status [--home DIR] [--json | --targets]"
        case .doctor: "doctor [--home DIR] [--json]"
        case .logs: "logs [SERVICE] [--follow] [--since TIME|30m|2h|1d] [--lines N] [--home DIR] [--json]"
        case .setupLink: "setup-link [--home DIR] [--json]"
        case .user: "user reset EMAIL [--home DIR] [--json]"
        case .deviceKey: "device-key set|remove DEVICE [--home DIR] [--json]"
        case .auditLog: "audit-log [--lines N] [--home DIR] [--json]"
        case .scale: "scale --ingest K [--home DIR] [--json]"
        case .stop: "stop [--home DIR] [--json]"
        case .audit: "audit [--as-of pos:N|recorded:T|happened:T] [--home DIR] [--json]"
        case .rebuild:
            "rebuild [SERVICE[-SLOT] [--switch [--anyway] | --back | --drop]] [--home DIR] [--json]"
        case .replay:
            "replay --origin O|hub | --file SEGMENT [--from N] [--to N] [--as-of pos:N|recorded:T|happened:T]"
                + " [--home DIR] [--json]"
        case .backup:
            "backup [--to DIR] [--keep N] [--test-restore] [--nightly] [--home DIR] [--json] "
                + "[--repository ADDRESS] [--password-file FILE] [--create-repository]"
        case .restore:
            "restore SET [--home DIR] [--vault DIR | --without-vault] [--check] [--json] "
                + "[--repository ADDRESS] [--password-file FILE]"
        case .standby:
            "standby [status] | allow --address A [--port P] [--synchronous] [--votes B,C] [--to FILE] | join FILE --address A | lost [--home DIR] [--json]"
        case .promote: "promote [--home DIR] [--json]"
        case .cluster:
            "cluster [status] | join | leave | node --name N --at A --peers A,B,C [--store DIR] [--home DIR] [--json]"
        case .supportBundle: "support-bundle [--to FILE|-] [--logs] [--home DIR] [--json]"
        case .schema: "schema [NAME] [--asyncapi] [--json]"
        case .follow: "follow accept ORIGIN [--home DIR] [--json]"
        case .clock: "clock accept [--home DIR] [--json]"
        case .parked: "parked list|show|retry|skip [ORIGIN FEED POSITION | --all] [--reason TEXT] [--home DIR] [--json]"
        case .decode: "decode [--file F] [--bindkey HEX] [--network-key HEX] [--layouts F]"
        case .bench:
            "bench append|append-local|append-cluster|replay|replay-cluster|start|rebuild|parts|decode|ingest|alarm|events [--events N] [--clients C]"
                + " [--inflight I] [--batch B] [--size B] [--transport ipc|tcp|curve] [--views] [--readers R] [--load P] [--file F] [--points P]"
                + " [--home DIR] [--json]"
        case .simulate: "simulate"
        case .sandboxPay: "sandbox-pay --notify URL [--port N] [--chaos SEED]"
        case .benchServe: "bench-serve"
        case .initialise: "init [--rotate] [--json] | init --backups DIR"
        case .health: "health"
        case .supervise: "supervise SERVICE"
        case .watch: "watch [--once] [--home DIR]"
        }
    }

    var help: String {
        switch self {
        case .run: "Runs Postgres and the services of one farm server until it is stopped."
        case .status:
            "Shows the status of each service, what lags or is parked, the disk and the last backup.\n"
                + "--targets prints where Prometheus finds the services."
        case .doctor:
            "Checks everything that a farm server needs, and reports in plain words what is wrong and what to do.\n"
                + "Exit 1 if anything needs attention at once."
        case .logs:
            "Prints the services' logs, the oldest line first: of all services, or of one (sync-gateway,\n"
                + "sensor-ingest-0, postgres). --follow runs until it is stopped. --json prints the lines unchanged.\n"
                + "The logs of containers are stored by their engine, which no container may query."
        case .setupLink: "Creates a new one-time link for the first administrator, valid for 15 minutes."
        case .user:
            "reset EMAIL prints a one-time link with which this person chooses a new password; valid for an hour.\n"
                + "Exit 1 if there is no account with this address."
        case .deviceKey:
            "set stores the key (bindkey) of a Bluetooth sensor that encrypts, which it reads from standard input;\n"
                + "remove deletes it. DEVICE is its address: ble:a4c138112233. Exit 1 if it cannot be used."
        case .auditLog:
            "Prints sign-ins, refused sign-ins and changes of access, the newest first (200 lines unless --lines).\n"
                + "--json prints one object a line."
        case .scale: "Runs more or fewer ingest processes."
        case .stop: "Stops a running farm server; everything acknowledged is on the disk."
        case .audit:
            "Reads every journal, verifies every chain, rebuilds every view and compares it with the live tables.\n"
                + "Exit 1 and the place if anything differs, 3 if a service, journal or view is missing. Pruned events\n"
                + "are counted; a missing event that no journal records as pruned is a difference, too.\n"
                + "With --as-of, rebuilds the tables as they were at a position of the hub, or when something\n"
                + "was recorded, or had happened; there are no live tables to compare them with then."
        case .rebuild:
            "Rebuilds the views of a service from its journal, beside those in use and while it runs, and compares them\n"
                + "with those at the same position. No side effect is repeated. Ctrl-C pauses; the next call resumes.\n"
                + "Rebuild with a new build before it is started, and its start need not rebuild the views.\n\n"
                + "--switch   the service's next start uses the rebuilt views if all compare equal (or --anyway); the old\n"
                + "           ones are retained\n"
                + "--back     undoes a switch: at the service's next start, or at once if it has not been started yet\n"
                + "--drop     removes everything but the views in use\n\n"
                + "Without a SERVICE, lists the rebuilt and former views. Exit 1 if a table differs or it was paused."
        case .replay:
            "Prints stored events as they were written, one a line. --as-of omits later events: those after a\n"
                + "position, recorded after a time, or that happened after it. SEGMENT is the file of a sealed\n"
                + "part of a journal, at any path: nothing is printed unless every byte is what was signed; exit 1.\n"
                + "The number of pruned events in between is printed at the end, with --json on a line of its own, too."
        case .backup:
            "Copies all permanent data as of one moment, while everything runs: journals, hub and media into one\n"
                + "folder, and accounts and keys into a separate one, which is retained for 30 days at most. The copy is\n"
                + "read back and checked. DIR is the home's folder backups unless --to or\n"
                + "FURROW_BACKUPS names another: use another disk. --keep N removes all but the newest N backups in DIR.\n"
                + "Files that the backup before has, too, take no second place on a disk with hard links.\n"
                + "--test-restore restores the backup into a scratch home once a week, reads everything there, and removes\n"
                + "it; not in containers. --nightly goes on, makes one every night at two o'clock, and tests a restore every\n"
                + "week. --repository (or FURROW_BACKUP_REPOSITORY) names a repository of restic, which gets an encrypted\n"
                + "copy of each backup: a folder of another disk, or sftp:, rest:, s3: as restic has it.\n"
                + "--create-repository creates it and prints its password, which is also in FILE, by default\n"
                + "backup-password in the home (FURROW_BACKUP_PASSWORD_FILE)."
        case .restore:
            "Checks every byte of a backup and every chain in it, then restores it into a new or empty home.\n"
                + "Exit 1 with file and offset if anything is damaged; nothing is written then. --check only checks.\n"
                + "A set does not depend on how its farm server was run: it moves from one machine into containers and back.\n"
                + "The secrets are expected beside SET, at SET\(BackupMaking.vaultSuffix). With --repository, SET is the name of\n"
                + "a backup there, or latest."
        case .standby:
            "A second machine that has all of the farm's data, and can become the farm server in a minute.\n\n"
                + "allow    on the farm server: lets a standby connect, and writes an invitation for it\n"
                + "join     on the other machine: copies the data there; then start it with deploy/up\n"
                + "status   on either: whether they are connected, and how far the standby is behind. Exit 1 if it is not well\n"
                + "lost     on a farm server whose standby was promoted: prints the events that only it has, one a line\n\n"
                + "--synchronous: an event is acknowledged when the standby has it, too, while one is connected.\n"
                + "--votes: the standby at B takes over by itself, because a third machine at C votes, too (etcd).\n"
                + "A is the address at which each machine reaches the other one; port 5433 unless --port. FILE - is the\n"
                + "standard input or output."
        case .promote:
            "Makes a standby the farm server, because the other machine is lost. Then start it with deploy/up.\n"
                + "The other machine refuses to run the farm once it reaches this one."
        case .cluster:
            "Stores the journals on three machines (NATS JetStream) instead of in this machine's files alone.\n\n"
                + "node     prints the settings of a NATS server for the machine at A, one of three, with FURROW_CLUSTER_PASSWORD\n"
                + "join     copies the journals to the cluster of FURROW_CLUSTER; the services continue them there\n"
                + "leave    makes the files equal to the cluster, and continues the journals in them\n"
                + "status   where each journal is, and how far its file is behind. Exit 3 if the cluster does not answer\n\n"
                + "join and leave need a farm server that is stopped. FURROW_CLUSTER_KEY encrypts stored responses."
        case .supportBundle:
            "Writes one file for a person who helps you: the status of each part, the ends of the logs, and details\n"
                + "of this machine. No secrets, no names of people; check it before you send it.\n"
                + "--to - prints it; --logs reads logs from standard input and removes secrets from them, too."
        case .schema:
            "Lists the published events. With a NAME prints its JSON Schema, with --json all of them;\n"
                + "with --asyncapi the AsyncAPI 3 document of them all, with their transport over ZeroMQ."
        case .follow:
            "Makes the ledger accept a journal that was restored from an older copy, from their last common position.\n"
                + "Later events that the hub has read stay in the hub. Exit 1 if there is nothing to accept."
        case .clock:
            "Declares that this machine's clock is right: after it was ahead, or was off for a long time. Every journal\n"
                + "begins a new epoch, whose recorded times begin now, and old reports are pruned by this clock, after 7 days.\n"
                + "Set the clock right first. Every service must be running."
        case .parked:
            "Shows events that a service received and could not apply; retries one, or skips it for a reason.\n"
                + "Later events of the same stream wait behind it and are applied in order; at most 1,000 streams can wait.\n"
                + "retry --all retries every parked event, after an update for example; exit 1 if some still fail.\n"
                + "Exit 3 if a service could not be reached.\n"
                + "ORIGIN is the service that could not apply it; FEED and POSITION locate it. Each action is recorded."
        case .decode:
            "Reads JSON lines {\"format\":\"hci|ad|gatt|znp|zcl\",\"hex\":…} and prints one line for each;\n"
                + "with --file, reads a btsnoop or pcap capture. A line may name its \"bindkey\"; --bindkey is for all others.\n"
                + "--network-key decrypts the ZigBee frames of a capture.\n"
                + "--layouts reads a file of the farm's own ZigBee nodes, as FURROW_LAYOUTS does, and so checks it."
        case .bench:
            "Measures this build on this machine, in a temporary folder below DIR (/var/tmp).\n\n"
                + "append        events from another process through the request server, each confirmed once it is on\n"
                + "              disk: C clients (64) with I requests under way each (1); with --views its views are\n"
                + "              updated, too; with --readers R, so many replay a journal of as many events from its\n"
                + "              beginning meanwhile; with --load P, program P sends requests (Tests/Benchmarks/desk_load.c)\n"
                + "append-local  the same within one process, 256 events a sync\n"
                + "append-cluster  commits of B events, each confirmed by the cluster that FURROW_CLUSTER names, which keeps\n"
                + "              the stream that is made for it\n"
                + "replay-cluster  the file of such a journal, made on a machine that has none\n"
                + "replay        a journal over its feed, its chain verified, into typed values\n"
                + "start         a service with a sealed journal and current views, until its request server responds:\n"
                + "              after an orderly stop, which is measured, too, and after a kill\n"
                + "rebuild       the newest report of each node and hourly means, projected from a journal into SQLite\n"
                + "parts         what bounds the others: writing, hashing, parsing and reading an event, each by itself\n"
                + "decode        the packets of F, repeatedly: a capture, or JSON lines of one kind: packets of a\n"
                + "              Bluetooth controller or a coordinator (format, hex), or MQTT messages (topic, payload)\n"
                + "ingest        reports over HTTP to a farm server: C clients (16) that send B reports (20) in a request,\n"
                + "              each answered once it is on the disk\n"
                + "alarm         N alarms (50) in a farm server, from the sending of a report to the hand-over by live feed,\n"
                + "              e-mail, webhook and Web Push; then the memory with P (10,000) measuring points and limits\n"
                + "events        measures nothing: prints the events, one a line"
        case .simulate: "Simulates the farm of a demonstration; started by run --demo."
        case .sandboxPay:
            "A payment provider without money, for demonstrations and tests; its secret is FURROW_SANDBOX_SECRET.\n"
                + "With --chaos its notices arrive late, repeatedly and in another order."
        case .benchServe: "The measured service; started by bench."
        case .initialise:
            "Creates the secrets of a compose stack: a key for each folder in FURROW_KEYS, their public keys in\n"
                + "FURROW_PUBLIC_KEYS, and the password of the database. Existing ones stay.\n"
                + "--rotate gives every service a new key: publishes the next ones, then puts them into force.\n"
                + "--backups gives the folder of backups to the user of the containers, if it is root's and holds nothing else."
        case .health: "Checks whether the service in this container is ready (FURROW_OPS_PORT)."
        case .supervise:
            "Runs the one service of a container, and restarts it if it hangs; after \(HangCount.atMost) times within "
                + "\(HangCount.windowSeconds / 60)\nminutes it stays down and reports so. If the service ends otherwise, so does this."
        case .watch:
            "Checks the farm server every minute as doctor does, and has the gateway notify the administrators of what\n"
                + "must be done at once, and when it is well again. A farm server runs it by itself. --once checks once."
        }
    }

    /// The equivalent command for a compose stack; nil if it is the same or there is none.
    var amongContainers: String? {
        switch self {
        case .run: "docker compose up -d"
        case .scale: "docker compose up -d --scale sensor-ingest=K"
        case .stop: "docker compose stop"
        case .restore: Wording(isStack: true).call("restore /backups/SET")
        case .rebuild: "docker compose up -d; a service whose views need a rebuild does so when it starts"
        case .supportBundle:
            "docker compose logs --no-color --tail 400 |\n"
                + "    docker compose exec -T sync-gateway furrow support-bundle --logs > bundle.txt"
        case .status, .doctor, .logs, .setupLink, .user, .deviceKey, .auditLog, .audit, .replay, .backup, .follow,
            .clock, .parked, .watch:
            Wording(isStack: true).call(rawValue)
        case .cluster: "none yet: compose.yaml has no settings of a cluster"
        case .standby, .promote:
            "docker compose -f compose.yaml -f deploy/compose.standby.yaml run --rm operator furrow \(rawValue)"
        case .schema, .decode, .bench, .simulate, .sandboxPay, .benchServe, .initialise, .health, .supervise: nil
        }
    }

    func run(_ arguments: inout Arguments) throws -> Int32 {
        switch self {
        case .run:
            let options = try RunOptions(&arguments)
            try arguments.end()
            try run(options)
            return 0
        case .status: return try StatusCommand(&arguments).run()
        case .doctor: return try DoctorCommand(&arguments).run()
        case .logs: return try LogsCommand(&arguments).run()
        case .setupLink: return try SetupLinkCommand(&arguments).run()
        case .user: return try UserReset(&arguments).run()
        case .deviceKey: return try DeviceKeyCommand(&arguments).run()
        case .auditLog: return try AuditLog(&arguments).run()
        case .scale: return try ControlCommands.scale(&arguments)
        case .stop: return try ControlCommands.stop(&arguments)
        case .audit: return try AuditCommand(&arguments).run()
        case .rebuild: return try RebuildCommand(&arguments).run()
        case .replay:
            var replay = try Replay(&arguments)
            return try replay.run()
        case .backup: return try BackupCommand(&arguments).run()
        case .restore:
            var command = try RestoreCommand(&arguments)
            return try command.run()
        case .supportBundle: return try SupportBundle(&arguments).run()
        case .schema: return try SchemaCommand(&arguments).run()
        case .follow: return try Follow(&arguments).run()
        case .clock: return try ClockCommand(&arguments).run()
        case .parked: return try ParkedEvents(&arguments).run()
        case .decode: return try DecodeCommand(&arguments).run()
        case .bench: return try BenchCommand(&arguments).run()
        case .simulate: return try Simulation(&arguments).run()
        case .sandboxPay: return try SandboxPay(&arguments).run()
        case .benchServe: arguments.flag("--views") ? BenchService.serve() : BenchJournal.serve()
        case .initialise:
            if let path = try arguments.value("--backups") {
                try arguments.end()
                return try BackupFolder(path: path).run()
            }
            return try InitCommand(&arguments).run()
        case .health:
            try arguments.end()
            return Health.run()
        case .supervise: return try SuperviseCommand(&arguments).run()
        case .watch: return try WatchCommand(&arguments).run()
        case .standby: return try StandbyCommand(&arguments).run()
        case .promote: return try PromoteCommand(&arguments).run()
        case .cluster: return try ClusterCommand(&arguments).run()
        }
    }

    /// Runs the farm server of a home, or its standby.
    private func run(_ options: RunOptions) throws {
        let farmPaths = try FarmPaths(home: options.home)
        let settings = try farmPaths.standbySettings
        if let settings, settings.role != .primary {
            guard try StandbyServer(farmPaths, settings).run() else { return }
        }
        try Supervisor(options).run()
    }
}
