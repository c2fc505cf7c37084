/**
 * Gets what is new since the last time, and keeps it apart until somebody says yes to it.
 *
 * What decides whether something may be bought, fetched or eaten (stock, pick-up points, recalls, one's own orders) is
 * taken at once. Everything else waits: a page does not change under a reader's eyes. Records and updates together are
 * always all there is up to `pulled.position`, because both and the position are written in one transaction.
 */
import { answered, exclusively, fact, tell, transact } from "../common/storage.js";

const Limits = { pages: 50, answerMilliseconds: 30_000, pictures: 400, picturesAtOnce: 4 };
const mediaCache = "furrow-media";
const atOnce = new Set(["lots", "pickups", "orders", "favourites"]);

/** What every record of a table must have to be shown at all. */
const needed = {
    site: [], farms: ["title"], products: ["title", "farm", "unit"], offers: ["product", "lot", "price"],
    pickups: ["title"], lots: [], orders: ["state", "lines", "total"], favourites: ["kind", "name"],
};

/** Nobody could be asked. */
export class NoNews extends Error {}

/** @returns {Promise<{me: any}>} who is signed in, as the server sees it; null if nobody @throws {NoNews} */
export function pull() {
    return exclusively("furrow-pull", async () => {
        const first = (await fact("pulled")) === null;
        let me = null;
        for (let page = 0; page < Limits.pages; page += 1) {
            const before = await fact("pulled");
            const answer = await ask(before);
            await take(answer, before);
            me = answer.me ?? null;
            if (!answer.more) break;
        }
        if (first) await fetchPictures();
        return { me };
    });
}

/** @returns {Promise<number>} updates that wait for a yes */
export function waiting() {
    return transact(["updates"], "readonly", (updates) => answered(updates.count()));
}

/**
 * Somebody has said yes.
 * @returns {Promise<{applied: number, failed: number, pictures: number}>} `failed` could not be understood and were
 *     left as they were; `pictures` did not arrive and are tried for again with the next update
 */
export function apply() {
    return exclusively("furrow-pull", async () => {
        const stores = ["records", "updates", "facts"];
        const counts = await transact(stores, "readwrite", async (records, updates, facts) => {
            const rows = await answered(updates.getAll());
            const bad = rows.filter((row) => !isWhole(row));
            for (const row of rows) put(records, row);
            updates.clear();
            facts.put({ failed: bad.length, names: bad.slice(0, 20).map((row) => `${row.table} ${row.id}`) }, "failed");
            return { applied: rows.length - bad.length, failed: bad.length };
        });
        const pictures = await fetchPictures();
        tell("records");
        return { ...counts, pictures };
    });
}

/** The next time everything comes anew and takes the place of what is here; until then this can be looked at. */
export function startOver() {
    return exclusively("furrow-pull", () => transact(["facts"], "readwrite", (facts) => {
        facts.delete("pulled");
    }));
}

/** Nobody is signed in any more: what only they may see goes; what everybody may see and what waits stays. */
export async function forgetPerson() {
    await exclusively("furrow-pull", () => transact(["records", "facts"], "readwrite", (records, facts) => {
        for (const table of ["orders", "favourites"]) records.delete(IDBKeyRange.bound([table], [table, []]));
        facts.delete("shelves");
        facts.delete("me");
    }));
    tell("me");
}

async function ask(before) {
    const address = new URL("/v1/sync", location.origin);
    if (before !== null) {
        address.searchParams.set("last_pulled_at", before.position);
        address.searchParams.set("epoch", before.epoch);
        address.searchParams.set("scope", before.scope);
    }
    let response;
    try {
        response = await fetch(address, {
            cache: "no-store", credentials: "same-origin", signal: AbortSignal.timeout(Limits.answerMilliseconds),
        });
    } catch {
        throw new NoNews("The farm server does not answer.");
    }
    const answer = await response.json().catch(() => null);
    if (!response.ok || !Number.isSafeInteger(answer?.timestamp)) throw new NoNews(`It answered ${response.status}.`);
    return answer;
}

/** Another life of the server's log, or another person: what is here is of no use, and the answer holds everything. */
async function take(answer, before) {
    const stores = ["records", "updates", "facts"];
    const changed = await transact(stores, "readwrite", async (records, updates, facts) => {
        const isAll = answer.replace === true || before === null;
        if (answer.replace === true) {
            records.clear();
            updates.clear();
            facts.delete("failed");
        }
        let count = 0;
        let bad = 0;
        for (const [table, { created = [], updated = [], deleted = [] }] of Object.entries(answer.changes ?? {})) {
            if (!(table in needed)) continue;
            const rows = [...created, ...updated].map((body) => ({ table, id: String(body?.id), body }));
            rows.push(...deleted.map((id) => ({ table, id: String(id), body: null })));
            for (const row of rows) {
                const held = isAll ? null : (await answered(records.get([table, row.id])))?.body ?? null;
                updates.delete([table, row.id]);
                // Nobody is asked about what changes nothing.
                if (!isAll && JSON.stringify(held) === JSON.stringify(row.body)) continue;
                count += 1;
                if (!isAll && waits(row, held)) updates.put(row);
                else if (!put(records, row)) bad += 1;
            }
        }
        if (Array.isArray(answer.payments)) facts.put(answer.payments, "payments");
        facts.put({ position: answer.timestamp, epoch: answer.epoch, scope: answer.scope, at: Date.now() }, "pulled");
        if (bad > 0) facts.put({ failed: bad, names: [] }, "failed");
        return count;
    });
    if (changed > 0) tell("records");
}

/** Offers come and go with the stock: only another price, or the like, waits. */
function waits({ table, body }, held) {
    return table === "offers" ? body !== null && held !== null : !atOnce.has(table);
}

function put(records, row) {
    if (!isWhole(row)) return false;
    if (row.body === null) records.delete([row.table, row.id]);
    else records.put(row);
    return true;
}

function isWhole({ table, id, body }) {
    if (body === null) return true;
    const has = (member) => body[member] !== undefined && body[member] !== null;
    return typeof body === "object" && id !== "" && body.id === id && needed[table].every(has);
}

/** @param {string} sha @returns {string} where a picture lies, by the SHA-256 of its bytes */
export function pictureAddress(sha) {
    return `/media/${sha}`;
}

/**
 * Fetches the pictures that records name and are not here; those that none names any more go.
 * @returns {Promise<number>} how many did not arrive
 */
async function fetchPictures() {
    if (!globalThis.caches) return 0;
    const wanted = await transact(["records"], "readonly", async (records) => {
        const rows = await answered(records.getAll());
        return [...new Set(rows.map((row) => row.body.picture).filter((sha) => /^[0-9a-f]{64}$/.test(sha ?? "")))];
    });
    const cache = await caches.open(mediaCache);
    const named = new Set(wanted.map(pictureAddress));
    for (const kept of await cache.keys()) {
        if (!named.has(new URL(kept.url).pathname)) await cache.delete(kept);
    }
    const missing = [];
    for (const sha of wanted.slice(0, Limits.pictures)) {
        if (!(await cache.match(pictureAddress(sha)))) missing.push(sha);
    }
    let failed = 0;
    const fetchNext = async () => {
        for (let sha = missing.pop(); sha !== undefined; sha = missing.pop()) {
            try {
                await cache.add(pictureAddress(sha));
            } catch {
                failed += 1;
            }
        }
    };
    await Promise.all(Array.from({ length: Limits.picturesAtOnce }, fetchNext));
    return failed;
}

/** @param {string} sha @returns {Promise<boolean>} whether the picture has arrived */
export async function hasPicture(sha) {
    if (!globalThis.caches) return navigator.onLine;
    return (await (await caches.open(mediaCache)).match(pictureAddress(sha))) !== undefined;
}
