/** The page of promotions: what runs, what came of it, and a form for a new one. */
import { command, get, list } from "../../common/api.js";
import { Choices } from "../../common/choices.js";
import { h, when } from "../../common/dom.js";
import { action, form } from "../../common/form.js";
import { counted, dayAndClock } from "../../common/format.js";
import { icon } from "../../common/icons.js";
import { nothingYet } from "../../common/parts.js";
import { toLocal } from "../../common/zones.js";
import { loadMarket, marketHead } from "../market.js";
import { freeName, shortName } from "../parts.js";

const days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const states = {
    planned: ["clock", "Planned"], running: ["check", "Running"],
    stopped: ["warning", "Stopped: what it is about is not for sale"], ended: ["info", "Ended"],
};
const ends = {
    withdrawn: "ended by you", over: "its time was over", reached: "as many people have seen it as planned",
};
const audiences = [["everyone", "Everyone"], ["favourites", "Those who have it among their favourites"],
    ["interested", "Those whom its category interests"]];
const distances = [["", "Anywhere"], ["300", "Within 300 m of"], ["1000", "Within 1 km of"], ["5000", "Within 5 km of"],
    ["20000", "Within 20 km of"]];
const Limits = { dayMilliseconds: 86_400_000, usualDays: 7 };

/** Returns the page. @param {import("../main.js").Context} context */
export async function show(context) {
    const [market, promotions, farms] = await Promise.all([
        loadMarket("farms", "products", "offers", "places"), list("/v1/promotions"), list("/v1/directory")]);
    return {
        title: "Promotions", name: "market-promotions",
        content: [
            marketHead("Promotions", "/market/promotions", "What buyers are shown, where and when. Their phones "
                + "decide: where people are stays with them.", market.since),
            promotions.length > 0
                ? h("ul.rows", { role: "list" }, promotions.map((one) => card(one, market, context)))
                : nothingYet("bell", "There is none yet."),
            context.can("grower") && h("div.card.block", null, market.products.length > 0
                ? publish(promotions, market, farms, context)
                : nothingYet("basket", "List a product first.", h("a", { href: "#/market/products" }, "Products"))),
        ],
    };
}

function card({ promotion, farm, rule, state, ended, shown, heldBack, effect, ...counts }, market, context) {
    const zone = market.zone(farm);
    const [drawing, text] = states[state];
    return h("li", { "data-promotion": promotion },
        h("h2", null, rule.title),
        rule.text && h("p", null, rule.text),
        h("p.quiet", null, rule.product ? market.title(rule.product) : `Everything of the kind ${rule.category}`,
            rule.lot && `, lot ${rule.lot}`, `; ${place(rule, market)}; ${times(rule)}; from `,
            when(rule.from, dayAndClock(rule.from, zone)), " until ", when(rule.until, dayAndClock(rule.until, zone)),
            rule.notifies && "; buyers are notified on their devices"),
        h("p.goods", { "data-state": state }, icon(drawing), text, ended && `: ${ends[ended]}`),
        h("p", null, `Shown to ${counted(shown, "person", "people")}, of whom ${counts.shownBought} ordered since`,
            heldBack > 0 && `; held back from ${heldBack}, of whom ${counts.heldBackBought} ordered`, "."),
        effect && h("p", { "data-effect": "" }, effectSentence(effect)),
        context.can("grower") && state !== "ended" && action({
            name: `end-promotion ${promotion}`, label: `End ${rule.title}`, kind: "button-quiet",
            send: (key) => command("POST", `/v1/promotions/${promotion}/endings`, {}, key),
            done: () => {
                context.announce(`${rule.title} has ended.`);
                return context.refresh();
            },
        }));
}

/** @param {{difference: number, low: number, high: number}} effect shares of people, with a 95 % interval */
function effectSentence({ difference, low, high }) {
    const percent = (share) => `${share < 0 ? "−" : ""}${Math.abs(share * 100).toFixed(0)}`;
    const range = `${percent(difference)} of 100 more ordered `
        + `(${percent(low)} to ${percent(high)} with 95 % certainty)`;
    return low > 0 ? `It works: ${range}.` : high < 0 ? `It deters: ${range}.`
        : `Too few people to be certain: ${range}.`;
}

function place({ area, county }, market) {
    if (county) return `in the county ${county}`;
    if (!area) return "anywhere";
    const near = market.places.find(({ latitude, longitude }) =>
        latitude === area.latitude && longitude === area.longitude);
    const metres = area.metres < 1000 ? `${area.metres} m` : `${area.metres / 1000} km`;
    return `within ${metres} of ${near?.title ?? "the farm"}`;
}

function times({ hours, timesPerDay }) {
    const on = hours?.weekdays.length > 0 ? hours.weekdays.map((number) => days[number - 1]).join(", ") : "every day";
    const at = hours?.from || hours?.to ? `, ${hours.from ?? "0:00"} to ${hours.to ?? "24:00"}` : "";
    return `${on}${at}, ${timesPerDay === 1 ? "once" : `${timesPerDay} times`} a day`;
}

/** Places with a position: pick-up points and farms. */
function centres(market, farms) {
    const known = [...market.places.map((one) => [`place ${one.pickup}`, one.title, one]),
        ...farms.map((one) => [`farm ${one.farm}`, one.title, one])];
    return known.filter(([, , { latitude, longitude }]) => Number.isFinite(latitude) && Number.isFinite(longitude));
}

function publish(promotions, market, farms, context) {
    const taken = new Set(promotions.map(({ promotion }) => promotion));
    const zone = market.zone(market.products[0].farm);
    const kinds = [...new Set(market.products.map(({ category }) => category).filter(Boolean))].sort();
    const near = centres(market, farms);
    const now = Date.now();
    const reach = h("p.quiet", { id: "reach", role: "status" });
    const given = form({
        name: "publish-promotion", title: "New promotion", submit: "Publish promotion", keepsDraft: true,
        fields: [
            { name: "about", label: "About", type: "select", required: true, options: [
                ...market.products.map(({ product, title }) => [`product ${product}`, title]),
                ...kinds.map((kind) => [`kind ${kind}`, `Everything of the kind ${kind}`])] },
            { name: "title", label: "Title", required: true, attributes: { maxlength: 80 } },
            { name: "text", label: "Text", type: "textarea", attributes: { maxlength: 500 } },
            { name: "lot", label: "Only the lot", hint: "It is shown while that lot is for sale.",
                attributes: { maxlength: 40, autocomplete: "off" } },
            { name: "audience", label: "To whom", type: "select", required: true, options: audiences },
            ...(near.length > 0 ? [
                { name: "metres", label: "Where", type: "select", options: distances },
                { name: "centre", label: "Place", type: "select",
                    options: near.map(([name, title]) => [name, title]) }] : []),
            { name: "county", label: "County", hint: "Only people who chose this county in their settings.",
                attributes: { maxlength: 60 } },
            { name: "from", label: "Begins", type: "datetime", zone, required: true, value: toLocal(now, zone) },
            { name: "until", label: "Ends", type: "datetime", zone, required: true,
                value: toLocal(now + Limits.usualDays * Limits.dayMilliseconds, zone) },
            new Choices({ name: "weekdays", label: "On these days", hint: "If none is ticked, on all.",
                options: days.map((day, index) => [String(index + 1), day]) }),
            { name: "fromTime", label: "From", type: "time" },
            { name: "toTime", label: "To", type: "time" },
            { name: "timesPerDay", label: "Times a day for each person", type: "number", value: 1,
                attributes: { min: 1, max: 20, step: 1 } },
            { name: "people", label: "Ends after so many people", type: "number",
                attributes: { min: 1, max: 1_000_000, step: 1 } },
            { name: "heldBackPercent", label: "Not shown to so many of 100 people, for comparison", type: "number",
                value: 10, attributes: { min: 0, max: 50, step: 1 } },
            { name: "notifies", label: "Notify buyers on their devices", type: "checkbox",
                hint: "Those who asked for it in their settings, from 8 to 20 o’clock, of one promotion a day. Only if "
                    + "it is for everyone or favourites, anywhere." },
            { name: "priority", label: "Priority", type: "number", value: 5, attributes: { min: 0, max: 9, step: 1 } },
        ],
        prepare: (/** @type {Record<string, any>} */ controls) => {
            const update = () => showReach(reach, /** @type {any} */ (controls));
            for (const name of ["about", "audience", "metres", "county"]) {
                controls[name]?.addEventListener("change", update);
            }
            update();
        },
        send: (/** @type {any} */ values, key) => command("PUT",
            `/v1/promotions/${freeName(shortName(values.title), taken)}`, bodyOf(values, near, market), key),
        done: (_answer, { title }) => {
            context.announce(`${title} is published.`);
            return context.refresh();
        },
    });
    return [given, reach];
}

function bodyOf({ about, metres, centre, weekdays = [], fromTime, toTime, county, notifies, ...rest }, near, market) {
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
    return { ...body, ...(county && { county }), ...(notifies && { notifies: true }), ...rest };
}

/** Shows how many people a promotion is for. @param {HTMLElement} line @param {any} controls */
async function showReach(line, { about, audience, metres, county }) {
    const [kind, name] = about.value.split(" ");
    const query = new URLSearchParams({ audience: audience.value });
    if (kind === "product") query.set("product", name);
    try {
        const { people, isAtMost } = await get(`/v1/promotions/reach?${query}`);
        const isNarrow = isAtMost || metres?.value || county?.value;
        line.textContent = `Would reach ${isNarrow ? "at most " : ""}${counted(people, "person", "people")} who `
            + `${people === 1 ? "uses" : "use"} the shop${isNarrow ? "; their phones decide the rest" : ""}.`;
    } catch {
        line.textContent = "";
    }
}
