import Postgres

/// The schema `standby` in the farm's database: what a standby needs beside the hub, encrypted to it. Postgres sends it
/// to the standby with all else.
enum StandbyDatabase {
    /// Bytes of a part of a file.
    static let partBytes = 256 << 10

    /// - `member`: the standby, with the key that everything is encrypted to.
    /// - `file`: the files, with the modification time by which a changed one is noticed.
    /// - `part`: their encrypted parts.
    /// - `response`: the stored responses of journals, encrypted, by their numbers.
    /// - `beat`: when the primary has last sent everything, and the key that all of it is encrypted to.
    /// - `promotion`: that the standby was promoted, and up to which position each journal continues there.
    private static let schema = """
        CREATE SCHEMA IF NOT EXISTS standby;
        CREATE TABLE IF NOT EXISTS standby.member(
            one boolean PRIMARY KEY DEFAULT true CHECK (one), key bytea NOT NULL, address text NOT NULL,
            joined timestamptz NOT NULL DEFAULT now());
        CREATE TABLE IF NOT EXISTS standby.file(
            name text COLLATE "C" PRIMARY KEY, bytes bigint NOT NULL, modified bigint NOT NULL, parts int NOT NULL);
        CREATE TABLE IF NOT EXISTS standby.part(
            name text COLLATE "C", part int, sealed bytea NOT NULL, PRIMARY KEY(name, part));
        ALTER TABLE standby.part ALTER sealed SET STORAGE EXTERNAL;
        CREATE TABLE IF NOT EXISTS standby.response(
            origin text COLLATE "C", last bigint, sealed bytea NOT NULL, PRIMARY KEY(origin, last));
        CREATE TABLE IF NOT EXISTS standby.beat(
            one boolean PRIMARY KEY DEFAULT true CHECK (one), at timestamptz, key bytea NOT NULL);
        CREATE TABLE IF NOT EXISTS standby.promotion(
            at timestamptz NOT NULL, origin text COLLATE "C" PRIMARY KEY, position bigint NOT NULL, hash bytea NOT NULL);
        """

    /// Returns a connection whose commits do not wait for the standby.
    static func local(_ conninfo: String) throws(PostgresError) -> Connection {
        let connection = try Connection(conninfo)
        try connection.execute("SET synchronous_commit = local")
        return connection
    }

    /// Sets whether commits wait for the standby. It takes effect at once, also for those that wait.
    static func setSynchronous(_ isSynchronous: Bool, _ connection: Connection) throws(PostgresError) {
        try connection.execute("ALTER SYSTEM SET synchronous_standby_names = '\(isSynchronous ? "*" : "")'")
        try connection.execute("SELECT pg_reload_conf()")
    }

    /// Creates the role and the schema of a pair; does nothing if they are there.
    ///
    /// - Parameters:
    ///   - conninfo: the database, as its owner.
    ///   - password: that of the role; nil where the container of Postgres creates it.
    static func prepare(_ conninfo: String, password: String?) throws {
        let connection = try local(conninfo)
        let user = StandbySettings.user
        if let password { try createRole(user, password, connection) }
        try connection.execute(schema)
        try connection.execute(
            """
            GRANT USAGE ON SCHEMA standby TO \(user);
            GRANT SELECT ON ALL TABLES IN SCHEMA standby TO \(user);
            GRANT INSERT, UPDATE, DELETE ON standby.member TO \(user);
            """)
    }

    private static func createRole(_ user: String, _ password: String, _ connection: Connection) throws(PostgresError) {
        if try connection.query("SELECT 1 FROM pg_roles WHERE rolname = '\(user)'").isEmpty {
            try connection.execute("CREATE ROLE \(user) LOGIN REPLICATION")
        }
        // The password has hexadecimal digits only.
        try connection.execute("ALTER ROLE \(user) PASSWORD '\(password)'")
    }
}
