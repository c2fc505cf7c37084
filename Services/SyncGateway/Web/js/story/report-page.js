/** The page that checks the report of a stocktake: a file, or one of this farm for people who are signed in. */
import { fill, h, when } from "../common/dom.js";
import { counted, dayAndClock } from "../common/format.js";
import { icon } from "../common/icons.js";
import { t } from "../common/language.js";
import { VerificationFailure } from "../verify/failure.js";
import { verifyReport } from "../verify/verify.js";
import { Declined, fetchReport, Unreachable } from "./farm-api.js";
import { checkItems } from "./proof.js";
import { openVisitStore } from "./store.js";
import { explain } from "./text.js";
import { currentKeys } from "./verification.js";

const Limits = { fileBytes: 32 << 20, shownLines: 500 };
const checks = ["story", "checkpoint", "log", "history", "report"];
/** @type {Record<string, [string, string]>} */
const words = {
    story: [t`End of the stocktake`, t`The end of the stocktake matches the log’s entry, byte for byte.`],
    report: [t`Lines of the report`, t`The lines have the digest that the farm recorded at the end of the
        stocktake.`],
};
/** @type {Record<string, string>} */
const failures = {
    "report-altered": t`The lines of this report are not those that the farm has recorded.`,
    "story-altered": t`The end of the stocktake is not the one in the farm’s log.`,
    "story-unreadable": t`The end of the stocktake cannot be read.`,
    "story-of-something-else": t`The proof is not that of this stocktake.`,
    "entry-malformed": t`The entry in the farm’s log is damaged.`,
    "not-in-log": t`The end of this stocktake is not in the farm’s log.`,
};
const places = {
    file: /** @type {HTMLInputElement} */ (document.querySelector("#file")),
    verdict: document.querySelector("#verdict"), report: document.querySelector("#report"),
    title: /** @type {HTMLElement} */ (document.querySelector("#title")),
};

/** @typedef {{v: 1, stocktake: string, zone?: string, bundle: any, lines: string[]}} ReportFile */

/**
 * Checks a report, and shows the result.
 * @param {ReportFile} file @param {boolean} isOurs whether the farm has sent it now
 */
async function check(file, isOurs) {
    /** @type {Map<string, "passed"|"skipped"|"failed">} */
    const results = new Map();
    const report = (name, outcome) => results.set(name, outcome);
    try {
        if (!globalThis.crypto?.subtle) throw new Unreachable("no crypto");
        const store = await openVisitStore();
        const known = await store.keys();
        const { ring } = await currentKeys(known, store, () => {});
        // A file's proof is of the log as it was then; only the farm can prove that the log has grown since.
        const remembered = isOurs && known !== null ? await store.checkpoint(known.hub) : null;
        const { result } = await verifyReport({ ...file, ring, remembered, report });
        if (known === null) await store.saveKeys(ring);
        show("good", "shield", t`Verified`, [t`The farm has recorded this report when the stocktake was finished, and
            nothing in it was changed since.`,
        known === null && t`This device has the farm’s keys since today: from now on it notices if others are
            shown.`],
        results);
        showReport(file, result);
    } catch (error) {
        if (error instanceof VerificationFailure) {
            const { what, advice } = explain(error);
            show("bad", "warning", t`Not verified`, [failures[error.code] ?? what,
                failures[error.code] ? t`Do not rely on this report. Ask the farm for it again.` : advice], results);
        } else {
            const isAway = error instanceof Unreachable || error instanceof Declined;
            const text = !globalThis.crypto?.subtle
                ? t`Browsers check only on pages that were loaded over https.`
                : isAway ? t`The farm’s keys cannot be had now, and this device has none: try again with a
                    connection.`
                    : t`Something went wrong on this page. Reload it and choose the file again.`;
            show("quiet", "offline", t`Not checked`, [text], results);
            if (!isAway) console.error(error);
        }
        fill(places.report);
    }
}

function show(tone, drawing, title, lines, results) {
    document.documentElement.dataset.state = tone;
    fill(places.verdict, h(`div.badge.badge-${tone}`, null, h("div.badge-mark", null, icon(drawing)),
        h("div.badge-words", null, h("h2.badge-title", null, title),
            lines.filter(Boolean).map((line) => h("p", null, line)))),
    h("details.fold", { id: "checks" }, h("summary", null, t`What your device has checked`),
        checkItems(checks, results, words)));
}

/** @param {ReportFile} file @param {import("../verify/report.js").Result} result */
function showReport(file, { found, missing, unexpected, finished }) {
    const { stocktake, lines } = file;
    const zone = knownZone(file.zone);
    document.title = t`${stocktake}: verified`;
    places.title.textContent = t`Stocktake ${stocktake}`;
    const rows = lines.slice(0, Limits.shownLines).map((line) => JSON.parse(line));
    fill(places.report,
        h("p", null, t`${found} found, ${missing} missing, ${unexpected} unexpected. `,
            finished && [t`Finished `, when(finished, dayAndClock(finished, zone)), "."]),
        h("p", null, h("button.button", { type: "button", onclick: () => save(file) }, icon("arrow"),
            t`Save the report with its proof`)),
        h("ul.report-lines", { role: "list" }, rows.map(({ title: name, thing, state, code, resolved }) => h("li", null,
            h("strong", null, name ?? thing), ` ${code ? `· ${code} ` : ""}· ${state}`,
            resolved && t` · decided: ${resolved.as}`))),
        lines.length > rows.length
            && h("p.quiet", null, t`And ${counted(lines.length - rows.length, "line")}, in the file.`));
}

/** The zone is no part of the proof, and may be anything. @param {string} [zone] @returns {string} */
function knownZone(zone = "UTC") {
    try {
        return new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone;
    } catch {
        return "UTC";
    }
}

function save(file) {
    const address = URL.createObjectURL(new Blob([JSON.stringify(file)], { type: "application/json" }));
    const link = h("a", { href: address, download: `${file.stocktake}-with-proof.json` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** @param {File} chosen @returns {Promise<ReportFile|null>} */
async function read(chosen) {
    if (chosen.size > Limits.fileBytes) return null;
    try {
        const file = JSON.parse(await chosen.text());
        const isReport = file?.v === 1 && typeof file.stocktake === "string" && Array.isArray(file.lines);
        return isReport && file.bundle ? file : null;
    } catch {
        return null;
    }
}

places.file.addEventListener("change", async () => {
    const [chosen] = places.file.files ?? [];
    if (!chosen) return;
    // The same file may be chosen again.
    places.file.value = "";
    const file = await read(chosen);
    if (file !== null) return check(file, false);
    show("quiet", "info", t`Not a report`, [t`This file is not a report with its proof.`], new Map());
    return fill(places.report);
});

const parameters = new URLSearchParams(location.search);
const stocktake = parameters.get("stocktake");
if (stocktake !== null) {
    try {
        const store = await openVisitStore();
        const known = await store.keys();
        const since = known && (await store.checkpoint(known.hub))?.size;
        const { bundle, lines } = await fetchReport(stocktake, since ?? null);
        await check({ v: 1, stocktake, zone: parameters.get("zone") ?? undefined, bundle, lines }, true);
    } catch (error) {
        const text = error instanceof Declined ? t`Sign in as a member of the staff first, or choose the file.`
            : t`The farm cannot be reached now. A saved report can be checked without it.`;
        show("quiet", "offline", t`Not checked`, [text], new Map());
    }
}
