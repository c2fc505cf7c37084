/** The story page, which the code on a box leads to. */
import { fill, h, when } from "../common/dom.js";
import { area, counted, country, day, dayAndClock, number, weight } from "../common/format.js";
import { icon } from "../common/icons.js";
import { cacheCatalogue, t } from "../common/language.js";
import { VerificationFailure } from "../verify/failure.js";
import { badge } from "./badge.js";
import { alarms, climate } from "./climate.js";
import { untilSent } from "./farm-api.js";
import { checkList, limitsOfProof } from "./proof.js";
import { photographs } from "./photographs.js";
import { openVisitStore } from "./store.js";
import { timeline } from "./timeline.js";
import { verifyPath } from "./verification.js";

const places = {
    title: document.querySelector("#product"), origin: document.querySelector("#origin"),
    verdict: document.querySelector("#badge"), facts: document.querySelector("#facts"),
    main: document.querySelector("#story"), proof: document.querySelector("#proof"),
};

/** Shows the result of the verification. @param {import("./verification.js").Outcome} outcome @param {number} now */
function show(outcome, now) {
    const { tone, element } = badge(outcome, now);
    document.documentElement.dataset.tone = tone;
    document.documentElement.dataset.state = outcome.state;
    fill(places.verdict, element);
    fill(places.proof, checkList(outcome), outcome.story && limitsOfProof(), again(outcome));
    if (outcome.story) showStory(outcome);
    else showNothing(tone);
    document.body.removeAttribute("aria-busy");
}

function showStory({ story, label, isWaiting }) {
    const { omitted } = story;
    const warning = story.recalled !== null ? t`Recalled: ` : story.held !== null ? t`On hold: ` : "";
    document.title = t`${warning}${story.product} from ${story.farm.title}`;
    fill(places.title, story.product);
    fill(places.origin, [story.farm.title, country(story.farm.country)].filter(Boolean).join(", "));
    fill(places.facts, h("h2.hidden", null, t`At a glance`), facts(story, label));
    fill(places.main,
        section(t`How it came to you`, [older(omitted.activities + omitted.custody), timeline(story)]),
        section(t`What the sensors measured`, [isWaiting && waiting(), older(omitted.readings), climate(story)]),
        story.photographs.length > 0
            && section(t`Photographs`, [older(omitted.photographs), photographs(story)]),
        section(t`Alarms`, [older(omitted.alarms), alarms(story)]),
        h("p.quiet.foot-note", null, t`All times are those of the farm (${story.farm.zone.replaceAll("_", " ")}). `,
            story.issued && [t`The farm recorded this story on `,
                when(story.issued, dayAndClock(story.issued, story.farm.zone)), "."]));
}

function showNothing(tone) {
    fill(places.title, tone === "bad" ? t`The check failed` : t`The story of a box`);
    document.title = tone === "bad" ? t`Not verified` : t`The story of a box`;
    fill(places.origin);
    fill(places.facts);
    fill(places.main);
}

function facts(story, label) {
    const rows = [
        [t`Harvested`, story.harvested && when(story.harvested, day(story.harvested, story.farm.zone))],
        [t`Grown on`, [story.plot.title, story.plot.areaSquareMetres && area(story.plot.areaSquareMetres)]
            .filter(Boolean).join(", ")],
        [t`Lot`, story.lot, "code"],
        [t`Size of the lot`, [story.grams && weight(story.grams), story.boxes && counted(story.boxes, "box", "boxes")]
            .filter(Boolean).join(", ")],
        [t`Part of lot`, story.parent],
        [t`Split into`, [...story.children, story.omitted.children > 0 && t`${story.omitted.children} more`]
            .filter(Boolean).join(", ")],
        [t`Your box`, label.kid !== null && label.serial, "code"],
        [t`Item number`, story.gtin, "code"],
    ];
    return h("dl.facts", null, rows.filter(([, value]) => value).map(([name, value, kind]) => h("div", null,
        h("dt", null, name), h("dd", kind ? { class: kind } : null, value))));
}

function section(title, content) {
    return h("section.chapter", null, h("h2", null, title), content);
}

function waiting() {
    return h("p.waiting", { "data-waiting": "" }, icon("clock"),
        t`Some measurements have arrived and are not processed yet: this story may be incomplete.`);
}

/** Returns the note about entries that the story omits. */
function older(count) {
    const text = count === 1 ? t`1 older entry is not shown here.`
        : t`${number(count)} older entries are not shown here.`;
    return count > 0 && h("p.waiting", { "data-older": "" }, icon("info"), text);
}

function again({ state }) {
    if (state === "verified") return null;
    return h("p.again", null, h("button.button", { type: "button", onclick: () => location.reload() },
        icon("arrow"), t`Check again`));
}

/** Registers the service worker for later visits without a network. The page works without it. */
async function installWorker() {
    try {
        if (await navigator.serviceWorker?.register("/sw.js")) await cacheCatalogue();
    } catch {
        // Without storage or a secure context there is no service worker.
    }
}

const now = Date.now();
const outcome = await verifyPath(location.pathname, await openVisitStore(), now);
try {
    show(outcome, now);
} catch (error) {
    show({ ...outcome, state: "failed", story: null, failure: new VerificationFailure("story-unreadable") }, now);
    console.error(error);
}
await installWorker();
if (outcome.deferred !== null) {
    await untilSent(outcome.deferred);
    location.reload();
}
