/** The limits that raise alarms: the list, and the form that sets one. */
import { command } from "../common/api.js";
import { h } from "../common/dom.js";
import { form } from "../common/form.js";
import { counted, measured, quantityName, quantityNames, unitOf } from "../common/format.js";
import { inSentence, t } from "../common/language.js";
import { nothingYet } from "../common/parts.js";
import { followChoice, freeName, shortName } from "./parts.js";

/** How many of the last reports must be beyond a limit, as choices. */
const shares = [["", t`The newest one`], ["2/3", t`2 of the last 3`], ["3/5", t`3 of the last 5`],
    ["6/10", t`6 of the last 10`]];

/** @param {any[]} rules @param {any[]} points @param {any} land */
export function limitList(rules, points, land) {
    if (rules.length === 0) {
        return nothingYet("bell", t`No limit is set. Sensors that fall silent and batteries below 10 % raise alarms in
            any case.`);
    }
    return h("ul.rows", { role: "list" }, rules.map((rule) => h("li", { "data-rule": rule.rule },
        h("strong", null, where(rule, points, land)), ` ${inSentence(quantityName(rule.quantity))} ${sides(rule)}`,
        rule.goods && [t` for `, h("a", { href: "#/goods" }, rule.goods)],
        rule.reports && t` in ${rule.reports.beyond} of the last ${rule.reports.of} reports`,
        rule.enabled === false && h("span.quiet", null, t` (switched off)`))));
}

/** Returns `above 8 °C`, or of a limit of change `rises by more than 3 °C within 15 minutes`. */
function sides({ above, below, quantity, overMinutes }) {
    const [over, under] = overMinutes ? [t`rises by more than`, t`falls by more than`] : ["above", "below"];
    const value = (limit) => measured(overMinutes ? Math.abs(limit) : limit, quantity);
    return [Number.isFinite(above) && `${over} ${value(above)}`, Number.isFinite(below) && `${under} ${value(below)}`]
        .filter(Boolean).join(" or ") + (overMinutes ? t` within ${counted(overMinutes, "minute")}` : "");
}

function where({ place, point }, points, land) {
    if (!point) return land.title(place);
    const known = points.find((one) => one.point === point);
    return known ? `${land.title(known.place)}, ${known.title}` : point;
}

/**
 * Returns the form that sets a limit.
 * @param {import("./main.js").Context} context @param {any[]} allRules @param {any[]} points @param {any} land
 * @param {any[]} devices
 */
export function setLimit(context, allRules, points, land, devices) {
    // Limits of goods are set on their page.
    const rules = allRules.filter(({ goods }) => !goods);
    const measuredHere = devices.flatMap(({ readings }) => (Array.isArray(readings) ? readings : []));
    const names = [...new Set([...quantityNames, ...measuredHere.map(({ quantity }) => quantity),
        ...rules.map(({ quantity }) => quantity)])];
    const taken = new Set(rules.map(({ rule }) => rule));
    const single = points.map((one) => [`point/${one.point}`, t`${land.title(one.place)}: only ${one.title}`]);
    return form({
        name: "set-rule", title: t`Set a limit`, submit: t`Set limit`,
        fields: [
            { name: "rule", label: t`Limit`, type: "select", options: [["", t`New`], ...rules.map((rule) =>
                [rule.rule, `${where(rule, points, land)}, ${inSentence(quantityName(rule.quantity))}`])] },
            { name: "place", label: t`Place`, type: "select", required: true,
                options: [...land.placeChoices, ...single],
                hint: t`A limit of one measuring point replaces those of its place.` },
            { name: "quantity", label: t`What`, type: "select", required: true,
                options: names.map((name) => [name, nameAndUnit(name)]) },
            { name: "above", label: t`Alarm above`, type: "number" },
            { name: "below", label: t`Alarm below`, type: "number" },
            { name: "overMinutes", label: t`Limit the change within (minutes)`, type: "number",
                attributes: { min: 1, max: 1440, step: 1 },
                hint: t`Empty: the value itself is limited. With 15 and above 3, an alarm is raised when the value
                    rises by more than 3 within 15 minutes; below -3 is for a fall.` },
            { name: "hysteresis", label: t`Alarm clears when back inside by`, type: "number", attributes: { min: 0 },
                hint: t`Prevents an alarm from switching on and off around the limit.` },
            { name: "forSeconds", label: t`Only if it lasts for (seconds)`, type: "number",
                attributes: { min: 0, max: 86_400, step: 1 },
                hint: t`A door that is open for a moment raises no alarm.` },
            { name: "share", label: t`Reports beyond the limit`, type: "select", options: choicesOf(rules) },
            { name: "urgent", label: t`Notify during quiet hours, too`, type: "checkbox", value: true },
            { name: "enabled", label: t`Switched on`, type: "checkbox", value: true },
        ],
        send: ({ rule, place, share, ...values }, key) => command("PUT",
            `/v1/rules/${rule ?? freeName(shortName(`${place}-${values.quantity}`), taken)}`,
            { ...values, ...scope(place), ...(share ? { reports: reportsOf(share) } : {}) }, key),
        done: () => {
            context.announce(t`The limit was set.`);
            return context.refresh();
        },
        prepare: (controls) => followChoice(controls.rule, controls, (name) => {
            const known = rules.find(({ rule }) => rule === name);
            return known && { ...known, place: known.point ? `point/${known.point}` : known.place,
                share: shareOf(known) };
        }),
    });
}

/** Returns the member of the command that says where a limit applies. @param {string} choice */
function scope(choice) {
    return choice.startsWith("point/") ? { point: choice.slice("point/".length) } : { place: choice };
}

function shareOf({ reports }) {
    return reports ? `${reports.beyond}/${reports.of}` : "";
}

function reportsOf(share) {
    const [beyond, of] = share.split("/").map(Number);
    return { beyond, of };
}

/** Returns the choices of shares, and those that are set by other programs. */
function choicesOf(rules) {
    const known = new Set(shares.map(([value]) => value));
    const others = [...new Set(rules.map(shareOf))].filter((value) => !known.has(value));
    return [...shares, ...others.map((value) => [value, value.replace("/", t` of the last `)])];
}

function nameAndUnit(quantity) {
    return [quantityName(quantity), unitOf(quantity)].filter(Boolean).join(", ");
}
