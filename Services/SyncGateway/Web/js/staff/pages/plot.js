/** The page of a plot: record activities, list them, correct them. */
import { command } from "../../common/api.js";
import { CachedLists } from "../../common/cache.js";
import { h, when } from "../../common/dom.js";
import { form } from "../../common/form.js";
import { activityName, activityNames, area, counted, dayAndClock, number } from "../../common/format.js";
import { icon } from "../../common/icons.js";
import { t } from "../../common/language.js";
import { head, nothingYet, openDialog } from "../../common/parts.js";
import { toLocal } from "../../common/zones.js";
import { loadLand } from "../farm.js";
import { submit } from "../outbox.js";
import { asOf, noSuch } from "../parts.js";
import { pendingWork } from "../pending-work.js";
import { photographs } from "../photographs.js";
import { placeClimate } from "./place-climate.js";

/** Returns the page. @param {import("../main.js").Context} context @param {string} plot */
export async function show(context, plot) {
    const place = `plot/${plot}`;
    const cached = new CachedLists();
    const land = await loadLand(cached);
    const row = land.places.get(place);
    if (!row) return noSuch(t`plot`, "#/plots", t`All plots`);
    const zone = land.zone(row.farm);
    const done = await cached.list(`/v1/plots/${plot}/activities`);
    return {
        title: row.title,
        content: [
            head(row.title, [row.crop, row.areaSquareMetres && area(row.areaSquareMetres)].filter(Boolean).join(", ")),
            asOf(cached.since),
            h("div.columns", null,
                h("div", null,
                    context.can("grower") && h("div.card", null, record(context, plot, zone)),
                    context.can("grower") && h("p.block", null,
                        h("a.button.button-quiet", { href: `#/harvest/${plot}` },
                            icon("harvested"), t`Record a harvest`)),
                    await placeClimate(place, row, zone, cached.since !== null),
                    h("p", null, h("a", { href: `#/plots/${plot}/growth` }, t`Growth table: climate and treatments`))),
                h("section", null, h("h2", null, t`Activities`),
                    pendingWork(land, ({ shown }) => shown.plot === plot), work(context, done, zone))),
            photographs(context, place, zone),
        ],
    };
}

const keptWords = t`Saved on this device. It is sent as soon as there is a connection.`;

function record(context, plot, zone) {
    const element = form({
        name: `record-activity ${plot}`, title: t`Record an activity`, submit: t`Record activity`,
        fields: activityFields(zone, {}),
        send: (values, key) => submit({
            key, path: `/v1/plots/${plot}/activities`, body: values, shown: { plot, kind: values.kind },
        }),
        done: (answer, { kind }) => {
            context.announce(answer === null ? keptWords : t`${activityName(kind)} was recorded.`);
            return context.refresh();
        },
    });
    return element;
}

/**
 * Returns the fields of an activity, with the values of an existing one.
 * @param {string} zone @param {{kind?: string, happened?: string, details?: Record<string, any>}} done
 */
function activityFields(zone, { kind, happened, details = {} }) {
    return [
        { name: "kind", label: t`Activity`, type: "select", required: true, value: kind ?? "irrigating",
            options: activityNames.map((name) => [name, activityName(name)]) },
        { name: "happened", label: t`When`, type: "datetime", required: true, zone,
            hint: t`The time at the farm (${zone.replaceAll("_", " ")}).`, value: toLocal(happened ?? Date.now(), zone),
            isPast: true },
        { name: "substance", label: t`Product or material`,
            hint: t`Seed, water, fertiliser or plant protection product.`,
            value: details.substance, attributes: { maxlength: 200 } },
        { name: "amount", label: t`Amount`, type: "number", value: details.amount, attributes: { min: 0 } },
        { name: "unit", label: t`Unit`, value: details.unit, attributes: { maxlength: 20 } },
        { name: "waitingDays", label: t`Days to wait before harvest`, type: "number", value: details.waitingDays,
            hint: t`As the label of a plant protection product says.`, attributes: { min: 0, max: 1000, step: 1 } },
    ];
}

function work(context, done, zone) {
    if (done.length === 0) {
        return nothingYet("sowing", t`Nothing is recorded yet. The first entry is usually the sowing.`);
    }
    return h("ol.work.card", { role: "list" }, done.map((entry) => {
        const right = entry.corrections.at(-1) ?? entry;
        return h("li.done", { "data-activity": entry.activity }, icon(right.kind),
            h("div.done-text", null,
                h("h3", null, activityName(right.kind)),
                h("p.quiet", null, when(right.happened, dayAndClock(right.happened, zone))),
                h("p", null, sentence(right.details)),
                earlier(entry, zone)),
            context.can("grower") && h("button.button.button-quiet", {
                type: "button", onclick: () => correct(context, entry, right, zone),
                "aria-label": t`Correct ${activityName(right.kind)} of ${dayAndClock(right.happened, zone)}`,
            }, icon("pencil"), h("span", null, t`Correct`)));
    }));
}

/** The earlier versions of an activity, with the reasons of the corrections. */
function earlier(entry, zone) {
    const versions = [entry, ...entry.corrections];
    return versions.slice(1).map((version, index) => h("div.correction", null,
        h("p", null, t`Before: `, h("del", null, [activityName(versions[index].kind), sentence(versions[index].details),
            dayAndClock(versions[index].happened, zone)].filter(Boolean).join(", "))),
        h("p", null, t`Reason: ${version.reason ?? ""}`)));
}

function correct(context, entry, right, zone) {
    const dialog = openDialog(t`Correct the entry`, h("p.quiet", null,
        t`The first entry stays visible beside the correction, for buyers too.`), form({
        name: `correct-activity ${entry.activity}`, submit: t`Save correction`,
        fields: [
            ...activityFields(zone, right),
            { name: "reason", label: t`Reason for the correction`, type: "textarea", required: true,
                attributes: { maxlength: 500 } },
        ],
        send: (values, key) => command("POST", `/v1/activities/${entry.activity}/corrections`, values, key),
        done: () => {
            dialog.close();
            context.announce(t`The correction was recorded.`);
            return context.refresh();
        },
    }));
}

/** @param {Record<string, any>} details */
function sentence({ substance, amount, unit, waitingDays } = {}) {
    const much = amount === undefined || amount === null ? null : `${number(amount)}${unit ? `\u00a0${unit}` : ""}`;
    const wait = waitingDays ? t`${counted(waitingDays, "day")} to wait before harvest` : null;
    return [substance, much, wait].filter(Boolean).join(", ");
}
