import EventStore

/// The tables of schema `hub`, which are permanent. Epochs are stored as `bigint`, bit for bit.
enum HubSchema {
    /// The feed name of the hub's total order.
    static let feed = "hub"
    /// The feed number of the ledger's own origin.
    static let ownFeed = 1
    /// The key of the writer's advisory lock: `furrow` and 1 in ASCII.
    static let lock: Int64 = 0x6675_7272_6F77_0001

    /// The statements that create the tables.
    ///
    /// - `entry`: every event in the hub's total order, with the chain hashes of its origin and of the hub.
    /// - `tile`: the Merkle tree's tiles, except the incomplete last one of level 0, which is computed from the last
    ///   entries.
    /// - `feed`: the mirrored head of each origin.
    /// - `stream` and `answer`: the index of the ledger's own journal.
    static let create = """
        CREATE SCHEMA hub;
        CREATE TABLE hub.meta(
            format int NOT NULL, origin text NOT NULL, epoch bigint NOT NULL, firstepoch bigint NOT NULL,
            created text NOT NULL);
        CREATE TABLE hub.feed(
            origin int PRIMARY KEY, name text COLLATE "C" NOT NULL UNIQUE, epoch bigint NOT NULL, pos bigint NOT NULL,
            hash bytea NOT NULL);
        CREATE TABLE hub.entry(
            hubpos bigint PRIMARY KEY, origin int NOT NULL, epoch bigint NOT NULL, pos bigint NOT NULL,
            id bytea NOT NULL, originhash bytea NOT NULL, hash bytea NOT NULL, salt bytea NOT NULL,
            bytes bytea NOT NULL, \(commitment));
        CREATE UNIQUE INDEX entry_place ON hub.entry(origin, pos, originhash);
        CREATE INDEX entry_id ON hub.entry(id);
        CREATE TABLE hub.tile(level int, index bigint, hashes bytea NOT NULL, PRIMARY KEY(level, index));
        ALTER TABLE hub.tile ALTER hashes SET STORAGE EXTERNAL;
        CREATE TABLE hub.checkpoint(size bigint PRIMARY KEY, note text NOT NULL);
        CREATE TABLE hub.stream(name text COLLATE "C" PRIMARY KEY, version bigint NOT NULL);
        CREATE TABLE hub.answer(
            name bytea PRIMARY KEY, actor text NOT NULL, key text NOT NULL, digest bytea NOT NULL, status int NOT NULL,
            body bytea NOT NULL, \(sum));
        CREATE FUNCTION hub.refuse() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION '%.% only grows', TG_TABLE_SCHEMA, TG_TABLE_NAME; END $$;
        CREATE TRIGGER only_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON hub.checkpoint
            FOR EACH STATEMENT EXECUTE FUNCTION hub.refuse();
        ALTER TABLE hub.checkpoint ENABLE ALWAYS TRIGGER only_grows;
        \(guards)
        """

    /// The checksum of a ``StoredResponse``; 0 in a row of version 1 until the hub is migrated.
    private static let sum = "sum bigint NOT NULL DEFAULT 0"

    /// The log entry's commitment of a pruned event. The column is set exactly if the event's bytes are gone.
    private static let commitment = """
        commitment bytea CONSTRAINT let_go CHECK ((octet_length(bytes) = 0) = (commitment IS NOT NULL))
        """

    /// The triggers that make `entry` append-only.
    ///
    /// One change is permitted, once for each event of a mirrored journal: its bytes are removed and the commitment to
    /// them and their salt is stored instead.
    private static let guards = """
        CREATE FUNCTION hub.refuse_unless_let_go() RETURNS trigger LANGUAGE plpgsql AS $guard$ BEGIN
            IF OLD.origin = \(ownFeed) OR octet_length(OLD.bytes) = 0 OR octet_length(NEW.bytes) <> 0
                OR NEW.commitment IS DISTINCT FROM sha256(OLD.salt || OLD.bytes)
                OR (NEW.hubpos, NEW.origin, NEW.epoch, NEW.pos, NEW.id, NEW.originhash, NEW.hash, NEW.salt)
                    IS DISTINCT FROM
                    (OLD.hubpos, OLD.origin, OLD.epoch, OLD.pos, OLD.id, OLD.originhash, OLD.hash, OLD.salt)
            THEN RAISE EXCEPTION '%.% only grows', TG_TABLE_SCHEMA, TG_TABLE_NAME; END IF;
            RETURN NEW;
        END $guard$;
        CREATE TRIGGER only_grows BEFORE DELETE OR TRUNCATE ON hub.entry
            FOR EACH STATEMENT EXECUTE FUNCTION hub.refuse();
        CREATE TRIGGER only_lets_go BEFORE UPDATE ON hub.entry
            FOR EACH ROW EXECUTE FUNCTION hub.refuse_unless_let_go();
        ALTER TABLE hub.entry ENABLE ALWAYS TRIGGER only_grows;
        ALTER TABLE hub.entry ENABLE ALWAYS TRIGGER only_lets_go;
        """

    /// Prunes entries by origin and position.
    ///
    /// A position has several rows after a feed was moved back; the last one is valid. Dead row versions are reused
    /// after autovacuum, so the table stops growing, but the file does not shrink.
    static let prune = """
        UPDATE hub.entry entry SET bytes = '', commitment = sha256(salt || bytes)
        FROM (
            SELECT DISTINCT ON (pos) hubpos FROM hub.entry WHERE origin = $1 AND pos = ANY($2::bigint[])
            ORDER BY pos, hubpos DESC) last
        WHERE entry.hubpos = last.hubpos AND octet_length(entry.bytes) > 0
        """

    /// Upgrades the tables of an older build.
    ///
    /// A restored journal may repeat a position of one epoch with other bytes, events may be pruned, and responses have
    /// checksums (``HubMigrationV2``). A table is altered only if it lacks something, because readers may be active.
    static let upgrade = """
        CREATE UNIQUE INDEX IF NOT EXISTS entry_place ON hub.entry(origin, pos, originhash);
        DROP INDEX IF EXISTS hub.entry_origin;
        DO $upgrade$ BEGIN
            IF NOT EXISTS (
                SELECT FROM pg_attribute WHERE attrelid = 'hub.entry'::regclass AND attname = 'commitment')
            THEN
                DROP TRIGGER only_grows ON hub.entry;
                ALTER TABLE hub.entry ADD COLUMN \(commitment);
                \(guards)
            END IF;
            IF NOT EXISTS (
                SELECT FROM pg_attribute WHERE attrelid = 'hub.answer'::regclass AND attname = 'sum')
            THEN
                ALTER TABLE hub.answer ADD COLUMN \(sum);
            END IF;
        END $upgrade$
        """

    /// `commitment` was added last; dumps of older builds have only the columns before it.
    static let entryColumns = [
        "hubpos", "origin", "epoch", "pos", "id", "originhash", "hash", "salt", "bytes", "commitment",
    ]

    static let insertEntry = """
        INSERT INTO hub.entry(hubpos, origin, epoch, pos, id, originhash, hash, salt, bytes, commitment)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        """

    static let upsertTile = """
        INSERT INTO hub.tile(level, index, hashes) VALUES ($1, $2, $3)
        ON CONFLICT (level, index) DO UPDATE SET hashes = excluded.hashes
        """

    static let upsertFeed = """
        INSERT INTO hub.feed(origin, name, epoch, pos, hash) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (origin) DO UPDATE SET epoch = excluded.epoch, pos = excluded.pos, hash = excluded.hash
        """

    static let upsertStreams = """
        INSERT INTO hub.stream(name, version) SELECT * FROM unnest($1::text[], $2::bigint[])
        ON CONFLICT (name) DO UPDATE SET version = excluded.version
        """

    static let insertAnswer = """
        INSERT INTO hub.answer(name, actor, key, digest, status, body, sum) VALUES ($1, $2, $3, $4, $5, $6, $7)
        """
}
