/** The report of a stocktake: the event that ended it, and the lines to whose digest the event commits. */
import { hex, sha256, text, utf8 } from "./bytes.js";
import { insist } from "./failure.js";

const eventType = "farm.furrow.inventory.stocktake-finished.v1";
const writer = /^trace-ledger\//;

/**
 * @typedef {object} Result
 * @property {number} found
 * @property {number} missing
 * @property {number} unexpected
 * @property {number|null} finished milliseconds since 1970
 */

/**
 * @param {Uint8Array} bytes of the event, already verified against the entry
 * @param {import("./entry.js").Entry} entry
 * @param {{stocktake: string, lines: string[]}} report
 * @returns {Promise<Result>}
 * @throws {VerificationFailure} `story-unreadable`, `story-of-something-else`, `report-altered`
 */
export async function openReport(bytes, entry, { stocktake, lines }) {
    let event = null;
    try {
        event = JSON.parse(text(bytes));
    } catch {
        event = null;
    }
    insist(event !== null && typeof event === "object" && event.data, "story-unreadable");
    const isEnd = event.type === eventType && event.source === `/${entry.origin}` && writer.test(entry.origin)
        && event.originepoch === entry.epoch && event.originpos === String(entry.pos)
        && event.data.stocktake === stocktake;
    insist(isEnd, "story-of-something-else");
    const isList = Array.isArray(lines) && lines.every((line) => typeof line === "string" && !line.includes("\n"));
    insist(isList, "report-altered");
    const digest = hex(await sha256(utf8(lines.map((line) => `${line}\n`).join(""))));
    insist(digest === event.data.digest, "report-altered");
    const finished = Date.parse(event.time);
    const { found, missing, unexpected } = event.data;
    return { found, missing, unexpected, finished: Number.isNaN(finished) ? null : finished };
}
