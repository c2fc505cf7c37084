/**
 * Pulls changes from the server and stores them as updates until the person confirms them.
 *
 * Changes that decide whether something may be bought, collected or eaten (stock, pick-up points, recalls, own orders)
 * are applied at once. Other changes wait, so that a page does not change while it is read. Records, updates and
 * `pulled.position` are written in one transaction, so records and updates are complete up to that position.
 */
import { t } from "../common/language.js";
import { notifyChange, readValue, requestResult, transact, withLock } from "../common/storage.js";
import { nodeOf } from "./local-copy.js";

const Limits = { pages: 50, answerMilliseconds: 30_000, pictures: 400, picturesAtOnce: 4 };
const mediaCache = "furrow-media";
const atOnce = new Set(["lots", "pickups", "orders", "favourites", "promotions"]);

/** The members that a valid record of each table has. */
const needed = {
    site: [], farms: ["title"], products: ["title", "farm", "unit"], offers: ["product", "lot", "price"],
    pickups: ["title"], lots: [], orders: ["state", "lines", "total"], favourites: ["kind", "name"],
    promotions: ["title", "farm", "audience", "from", "until"],
};

/** The server did not respond. */
export class PullFailed extends Error {}

/**
 * Pulls all changes.
 * @returns {Promise<{me: any, node: import("./local-copy.js").Node|null}>} the signed-in person, or null; the node that
 *     responded for the farm
 * @throws {PullFailed}
 */
export function pull() {
    return withLock("furrow-pull", async () => {
        const first = (await readValue("pulled")) === null;
        let me = null;
        let node = null;
        for (let page = 0; page < Limits.pages; page += 1) {
            const before = await readValue("pulled");
            const answer = await request(before);
            await store(answer, before);
            me = answer.me ?? null;
            node = answer.node;
            if (!answer.more) break;
        }
        if (first) await fetchPictures();
        return { me, node };
    });
}

/** @returns {Promise<number>} the updates that wait for confirmation */
export function waiting() {
    return transact(["updates"], "readonly", (updates) => requestResult(updates.count()));
}

/**
 * Applies the waiting updates.
 * @returns {Promise<{applied: number, failed: number, pictures: number}>} `failed`: invalid records, which are not
 *     changed; `pictures`: pictures that could not be loaded and are retried with the next update
 */
export function apply() {
    return withLock("furrow-pull", async () => {
        const stores = ["records", "updates", "facts"];
        const counts = await transact(stores, "readwrite", async (records, updates, facts) => {
            const rows = await requestResult(updates.getAll());
            const bad = rows.filter((row) => !isWhole(row));
            for (const row of rows) put(records, row);
            updates.clear();
            facts.put({ failed: bad.length, names: bad.slice(0, 20).map((row) => `${row.table} ${row.id}`) }, "failed");
            return { applied: rows.length - bad.length, failed: bad.length };
        });
        const pictures = await fetchPictures();
        notifyChange("records");
        return { ...counts, pictures };
    });
}

/** Makes the next pull replace all records. Until then the current ones are shown. */
export function startOver() {
    return withLock("furrow-pull", () => transact(["facts"], "readwrite", (facts) => {
        facts.delete("pulled");
    }));
}

/** Deletes the records of the signed-in person at sign-out. Public records and the outbox stay. */
export async function deletePersonalData() {
    await withLock("furrow-pull", () => transact(["records", "facts"], "readwrite", (records, facts) => {
        for (const table of ["orders", "favourites"]) records.delete(IDBKeyRange.bound([table], [table, []]));
        facts.delete("shelves");
        facts.delete("promotionsReported");
        facts.delete("me");
    }));
    notifyChange("me");
}

async function request(before) {
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
        throw new PullFailed(t`The farm server does not answer.`);
    }
    const answer = await response.json().catch(() => null);
    if (!response.ok || !Number.isSafeInteger(answer?.timestamp)) {
        throw new PullFailed(t`The server answered ${response.status}.`);
    }
    const node = nodeOf(response);
    return { ...answer, at: node?.at ?? Date.now(), node };
}

/** Stores a response. With `replace` (another epoch of the log, or another person) it replaces all records. */
async function store(answer, before) {
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
                const current = isAll ? null : (await requestResult(records.get([table, row.id])))?.body ?? null;
                updates.delete([table, row.id]);
                // An unchanged record needs no confirmation.
                if (!isAll && JSON.stringify(current) === JSON.stringify(row.body)) continue;
                count += 1;
                if (!isAll && waits(row, current)) updates.put(row);
                else if (!put(records, row)) bad += 1;
            }
        }
        if (Array.isArray(answer.payments)) facts.put(answer.payments, "payments");
        facts.put({ position: answer.timestamp, epoch: answer.epoch, scope: answer.scope, at: answer.at }, "pulled");
        if (bad > 0) facts.put({ failed: bad, names: [] }, "failed");
        return count;
    });
    if (changed > 0) notifyChange("records");
}

/** Whether a change waits for confirmation. New and deleted offers follow the stock and do not wait. */
function waits({ table, body }, current) {
    return table === "offers" ? body !== null && current !== null : !atOnce.has(table);
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

/** @param {string} sha SHA-256 of the bytes @returns {string} the address of a picture */
export function pictureAddress(sha) {
    return `/media/${sha}`;
}

/**
 * Loads missing pictures of the records, and deletes those that no record refers to.
 * @returns {Promise<number>} the number of pictures that could not be loaded
 */
async function fetchPictures() {
    if (!globalThis.caches) return 0;
    const wanted = await transact(["records"], "readonly", async (records) => {
        const rows = await requestResult(records.getAll());
        // The small copies come first: lists show them.
        const names = ["thumbnail", "picture"].flatMap((member) => rows.map((row) => row.body[member]));
        return [...new Set(names.filter((sha) => /^[0-9a-f]{64}$/.test(sha ?? "")))];
    });
    const cache = await caches.open(mediaCache);
    const named = new Set(wanted.map(pictureAddress));
    for (const cached of await cache.keys()) {
        if (!named.has(new URL(cached.url).pathname)) await cache.delete(cached);
    }
    const missing = [];
    for (const sha of wanted.slice(0, Limits.pictures)) {
        if (!(await cache.match(pictureAddress(sha)))) missing.push(sha);
    }
    let failed = 0;
    const fetchNext = async () => {
        for (let sha = missing.shift(); sha !== undefined; sha = missing.shift()) {
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

/** @param {string} sha @returns {Promise<boolean>} whether the picture is available */
export async function hasPicture(sha) {
    if (!globalThis.caches) return navigator.onLine;
    return (await (await caches.open(mediaCache)).match(pictureAddress(sha))) !== undefined;
}
