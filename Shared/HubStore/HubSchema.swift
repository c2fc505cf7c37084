import EventStore

/// The tables of schema `hub`: what is kept for ever. Epochs lie there as `bigint`, bit for bit.
enum HubSchema {
    /// The feed of the hub's own order.
    static let feed = "hub"
    /// The number of the ledger's own origin among the feeds.
    static let ownFeed = 1
    /// The advisory lock of the one writer: `furrow` and 1 in ASCII.
    static let lock: Int64 = 0x6675_7272_6F77_0001

    /// `entry` is every event in the hub's order with the chain of its origin and of the hub; `tile` the Merkle tree's
    /// tiles but for the one at the right edge of level 0, which the last entries give; `feed` how far each origin is
    /// mirrored; `stream` and `answer` belong to the ledger's own journal.
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

    /// That of the answer (``StoredResponse``); 0 where an older build wrote it, until the hub is opened.
    private static let sum = "sum bigint NOT NULL DEFAULT 0"

    /// What the log's entry of an event commits to, where the event's bytes were let go: then, and only then.
    private static let commitment = """
        commitment bytea CONSTRAINT let_go CHECK ((octet_length(bytes) = 0) = (commitment IS NOT NULL))
        """

    /// Nothing leaves `entry`, and of what is written there one thing alone may change, once: an event of a mirrored
    /// journal loses its bytes, and what they and the salt commit to is kept instead.
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

    /// Where following was taken back to an earlier place, a position has several rows: the last of them counts.
    ///
    /// The rows' former versions take room until autovacuum has passed over them; then what is mirrored next is written
    /// there. So the table stops growing; it does not get smaller.
    static let letGo = """
        UPDATE hub.entry entry SET bytes = '', commitment = sha256(salt || bytes)
        FROM (
            SELECT DISTINCT ON (pos) hubpos FROM hub.entry WHERE origin = $1 AND pos = ANY($2::bigint[])
            ORDER BY pos, hubpos DESC) last
        WHERE entry.hubpos = last.hubpos AND octet_length(entry.bytes) > 0
        """

    /// A hub of an older build: a journal that was copied back may tell a position of one epoch again, with other
    /// bytes; events may be let go; and answers have sums (``HubMigrationV2``). The tables are touched only where they
    /// lack something: readers may be at work.
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

    /// `commitment` came last: backups of older builds have the others.
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
