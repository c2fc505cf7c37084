/** The page of promotions: what runs, what came of it, and a form for a new one. */
import { command, get, list } from "../../common/api.js";
import { Choices } from "../../common/choices.js";
import { h, when } from "../../common/dom.js";
import { action, form } from "../../common/form.js";
import { counted, dayAndClock } from "../../common/format.js";
import { icon } from "../../common/icons.js";
import { t } from "../../common/language.js";
import { weekdayNames } from "../../common/opening-times.js";
import { nothingYet } from "../../common/parts.js";
import { toLocal } from "../../common/zones.js";
import { loadMarket, marketHead } from "../market.js";
import { freeName, shortName } from "../parts.js";

const days = weekdayNames("long");
const states = {
    planned: ["clock", t`Planned`], running: ["check", t`Running`],
    stopped: ["warning", t`Stopped: what it is about is not for sale`], ended: ["info", t`Ended`],
};
const ends = {
    withdrawn: t`ended by you`, over: t`its time was over`, reached: t`as many people have seen it as planned`,
};
const audiences = [["everyone", t`Everyone`], ["favourites", t`Those who have it among their favourites`],
    ["interested", t`Those whom its category interests`]];
const distances = [["", t`Anywhere`], ["300", t`Within 300 m of`], ["1000", t`Within 1 km of`],
    ["5000", t`Within 5 km of`],
    ["20000", t`Within 20 km of`]];
const Limits = { dayMilliseconds: 86_400_000, usualDays: 7 };

/** Returns the page. @param {import("../main.js").Context} context */
export async function show(context) {
    const [market, promotions, farms, regions] = await Promise.all([
        loadMarket("farms", "products", "offers", "places"), list("/v1/promotions"), list("/v1/directory"),
        list("/v1/beacon-regions")]);
    return {
        title: t`Promotions`, name: "market-promotions",
        content: [
            marketHead(t`Promotions`, "/market/promotions", t`What buyers are shown, where and when. Their phones
                decide: where people are stays with them.`, market.since),
            promotions.length > 0
                ? h("ul.rows", { role: "list" }, promotions.map((one) => card(one, market, context)))
                : nothingYet("bell", t`There is none yet.`),
            context.can("grower") && h("div.card.block", null, market.products.length > 0
                ? publish(promotions, market, farms, regions, context)
                : nothingYet("basket", t`List a product first.`, h("a", { href: "#/market/products" }, t`Products`))),
        ],
    };
}

function card({ promotion, farm, rule, state, ended, shown, heldBack, effect, ...counts }, market, context) {
    const zone = market.zone(farm);
    const [drawing, text] = states[state];
    return h("li", { "data-promotion": promotion },
        h("h2", null, rule.title),
        rule.text && h("p", null, rule.text),
        h("p.quiet", null, rule.product ? market.title(rule.product) : t`Everything of the kind ${rule.category}`,
            rule.lot && t`, lot ${rule.lot}`, t`; ${place(rule, market)}; ${times(rule, market)}; from `,
            when(rule.from, dayAndClock(rule.from, zone)), t` until `, when(rule.until, dayAndClock(rule.until, zone)),
            rule.notifies && t`; buyers are notified on their devices`),
        h("p.goods", { "data-state": state }, icon(drawing), text, ended && `: ${ends[ended]}`),
        h("p", null, t`Shown to ${counted(shown, "person", "people")}, of whom ${counts.shownBought} ordered
            since`,
            heldBack > 0 && t`; held back from ${heldBack}, of whom ${counts.heldBackBought} ordered`, "."),
        effect && h("p", { "data-effect": "" }, effectSentence(effect)),
        context.can("grower") && state !== "ended" && action({
            name: `end-promotion ${promotion}`, label: t`End ${rule.title}`, kind: "button-quiet",
            send: (key) => command("POST", `/v1/promotions/${promotion}/endings`, {}, key),
            done: () => {
                context.announce(t`${rule.title} has ended.`);
                return context.refresh();
            },
        }));
}

/** @param {{difference: number, low: number, high: number}} effect shares of people, with a 95 % interval */
function effectSentence({ difference, low, high }) {
    const percent = (share) => `${share < 0 ? "−" : ""}${Math.abs(share * 100).toFixed(0)}`;
    const range = t`${percent(difference)} of 100 more ordered (${percent(low)} to ${percent(high)} with 95 %
        certainty)`;
    return low > 0 ? t`It works: ${range}.` : high < 0 ? t`It deters: ${range}.`
        : t`Too few people to be certain: ${range}.`;
}

function place({ area, county, beacons, node }, market) {
    if (beacons) return t`near the beacons ${beacons}`;
    if (node) return t`at the node ${node}`;
    if (county) return t`in the county ${county}`;
    if (!area) return t`anywhere`;
    const near = market.places.find(({ latitude, longitude }) =>
        latitude === area.latitude && longitude === area.longitude);
    const metres = area.metres < 1000 ? `${area.metres} m` : `${area.metres / 1000} km`;
    return t`within ${metres} of ${near?.title ?? t`the farm`}`;
}

function times({ hours, beforeClosing, timesPerDay }, market) {
    const on = hours?.weekdays.length > 0 ? hours.weekdays.map((number) => days[number - 1]).join(", ") : t`every day`;
    const at = hours?.from || hours?.to ? `, ${hours.from ?? "0:00"} to ${hours.to ?? "24:00"}` : "";
    const last = beforeClosing
        ? t`, in the last ${beforeClosing.minutes} minutes at ${market.placeTitle(beforeClosing.pickup)}` : "";
    return t`${on}${at}${last}, ${timesPerDay === 1 ? t`once` : t`${timesPerDay} times`} a day`;
}

/** Places with a position: pick-up points and farms. */
function centres(market, farms) {
    const known = [...market.places.map((one) => [`place ${one.pickup}`, one.title, one]),
        ...farms.map((one) => [`farm ${one.farm}`, one.title, one])];
    return known.filter(([, , { latitude, longitude }]) => Number.isFinite(latitude) && Number.isFinite(longitude));
}

function publish(promotions, market, farms, regions, context) {
    const taken = new Set(promotions.map(({ promotion }) => promotion));
    const zone = market.zone(market.products[0].farm);
    const kinds = [...new Set(market.products.map(({ category }) => category).filter(Boolean))].sort();
    const near = centres(market, farms);
    const closing = market.places.filter(({ opens }) => opens?.length > 0);
    const now = Date.now();
    const reach = h("p.quiet", { id: "reach", role: "status" });
    const given = form({
        name: "publish-promotion", title: t`New promotion`, submit: t`Publish promotion`, keepsDraft: true,
        fields: [
            { name: "about", label: t`About`, type: "select", required: true, options: [
                ...market.products.map(({ product, title }) => [`product ${product}`, title]),
                ...kinds.map((kind) => [`kind ${kind}`, t`Everything of the kind ${kind}`])] },
            { name: "title", label: t`Title`, required: true, attributes: { maxlength: 80 } },
            { name: "text", label: t`Text`, type: "textarea", attributes: { maxlength: 500 } },
            { name: "lot", label: t`Only the lot`, hint: t`It is shown while that lot is for sale.`,
                attributes: { maxlength: 40, autocomplete: "off" } },
            { name: "audience", label: t`To whom`, type: "select", required: true, options: audiences },
            ...(near.length > 0 ? [
                { name: "metres", label: t`Where`, type: "select", options: distances },
                { name: "centre", label: t`Place`, type: "select",
                    options: near.map(([name, title]) => [name, title]) }] : []),
            ...(regions.length > 0 ? [
                { name: "beacons", label: t`Near beacons`, type: "select",
                    hint: t`Only in apps: browsers do not receive beacons.`,
                    options: [["", t`Anywhere`], ...regions.map(({ beacons, title }) => [beacons, title])] }] : []),
            { name: "node", label: t`At a node`, hint: t`Where the shop is opened by this address: bus.local:8091`,
                attributes: { maxlength: 120, autocomplete: "off" } },
            { name: "county", label: t`County`, hint: t`Only people who chose this county in their settings.`,
                attributes: { maxlength: 60 } },
            { name: "from", label: t`Begins`, type: "datetime", zone, required: true, value: toLocal(now, zone) },
            { name: "until", label: t`Ends`, type: "datetime", zone, required: true,
                value: toLocal(now + Limits.usualDays * Limits.dayMilliseconds, zone) },
            new Choices({ name: "weekdays", label: t`On these days`, hint: t`If none is ticked, on all.`,
                options: days.map((day, index) => [String(index + 1), day]) }),
            ...(closing.length > 0 ? [
                { name: "minutes", label: t`Before closing`, type: "select", options: [["", t`At any time`],
                    ...[30, 60, 120, 180].map((count) => [String(count), t`In the last ${count} minutes`])] },
                { name: "pickup", label: t`Pick-up point that closes`, type: "select",
                    options: closing.map(({ pickup, title }) => [pickup, title]) }] : []),
            { name: "fromTime", label: t`From`, type: "time" },
            { name: "toTime", label: t`To`, type: "time" },
            { name: "timesPerDay", label: t`Times a day for each person`, type: "number", value: 1,
                attributes: { min: 1, max: 20, step: 1 } },
            { name: "people", label: t`Ends after so many people`, type: "number",
                attributes: { min: 1, max: 1_000_000, step: 1 } },
            { name: "heldBackPercent", label: t`Not shown to so many of 100 people, for comparison`, type: "number",
                value: 10, attributes: { min: 0, max: 50, step: 1 } },
            { name: "notifies", label: t`Notify buyers on their devices`, type: "checkbox",
                hint: t`Those who asked for it in their settings, from 8 to 20 o’clock, of one promotion a day. Only
                    if it is for everyone or favourites, anywhere.` },
            { name: "priority", label: t`Priority`, type: "number", value: 5, attributes: { min: 0, max: 9, step: 1 } },
        ],
        prepare: (/** @type {Record<string, any>} */ controls) => {
            const update = () => showReach(reach, /** @type {any} */ (controls));
            for (const name of ["about", "audience", "metres", "county", "beacons", "node"]) {
                controls[name]?.addEventListener("change", update);
            }
            update();
        },
        send: (/** @type {any} */ values, key) => command("PUT",
            `/v1/promotions/${freeName(shortName(values.title), taken)}`, bodyOf(values, near, market), key),
        done: (_answer, { title }) => {
            context.announce(t`${title} is published.`);
            return context.refresh();
        },
    });
    return [given, reach];
}

function bodyOf(values, near, market) {
    const { about, metres, centre, weekdays = [], fromTime, toTime, county, notifies, beacons, minutes, pickup,
        ...rest } = values;
    const [kind, ...words] = about.split(" ");
    const name = words.join(" ");
    const body = kind === "product" ? { product: name } : { category: name, farm: market.farms[0].farm };
    const middle = near.find(([one]) => one === centre)?.[2];
    if (metres && middle) {
        body.area = { latitude: middle.latitude, longitude: middle.longitude, metres: Number(metres) };
    }
    if (weekdays.length > 0 || fromTime || toTime) {
        body.hours = {
            weekdays: weekdays.map(Number), ...(fromTime && { from: fromTime }), ...(toTime && { to: toTime }),
        };
    }
    if (minutes) body.beforeClosing = { pickup, minutes: Number(minutes) };
    const place = { ...(county && { county }), ...(beacons && { beacons }) };
    return { ...body, ...place, ...(notifies && { notifies: true }), ...rest };
}

/** Shows how many people a promotion is for. @param {HTMLElement} line @param {any} controls */
async function showReach(line, { about, audience, metres, county, beacons, node }) {
    const [kind, name] = about.value.split(" ");
    const query = new URLSearchParams({ audience: audience.value });
    if (kind === "product") query.set("product", name);
    try {
        const { people, isAtMost } = await get(`/v1/promotions/reach?${query}`);
        const isNarrow = isAtMost || [metres, county, beacons, node].some((control) => control?.value);
        line.textContent = t`Would reach ${isNarrow ? t`at most ` : ""}${counted(people, "person", "people")} who
            ${people === 1 ? t`uses` : t`use`} the shop${isNarrow ? t`; their phones decide the rest` : ""}.`;
    } catch {
        line.textContent = "";
    }
}
