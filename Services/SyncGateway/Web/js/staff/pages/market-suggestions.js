/** The page of suggestions: what came of the picks of two models, side by side. */
import { get } from "../../common/api.js";
import { h } from "../../common/dom.js";
import { dayOfYear, number } from "../../common/format.js";
import { t } from "../../common/language.js";
import { nothingYet } from "../../common/parts.js";
import { marketHead } from "../market.js";
import { shareChart } from "../share-chart.js";

const titles = { learnt: t`Learnt from all orders`, habit: t`What the person buys most, and what sells most` };
const Limits = { weeks: 9 };

/** Returns the page. */
export async function show() {
    const outcomes = await get("/v1/picks/outcomes");
    const starts = [...new Set(outcomes.models.flatMap((model) => model.weeks.map(({ from }) => from)))].sort();
    return {
        title: t`Suggestions`, name: "market-suggestions",
        content: [
            marketHead(t`Suggestions`, "/market/suggestions", t`Each buyer gets a few products picked for the day. Three
                of four get those of the model that is learnt from all orders; the others get simple ones, for
                comparison.`),
            starts.length === 0 ? nothingYet("basket", t`No buyer has opened the shop in the last sixty days.`)
                : [comparison(outcomes), weeks(outcomes.models, starts.slice(-Limits.weeks))],
        ],
    };
}

/** @param {{models: any[], difference?: {share: number, low: number, high: number}}} outcomes */
function comparison({ models, difference }) {
    return h("div.card.block", null,
        h("p", { "data-difference": "" }, difference ? verdict(difference)
            : t`So far only one of the two was shown.`),
        models.map((model) => h("section", { "data-model": model.model },
            h("h2", null, titles[model.model] ?? model.model),
            h("dl.latest", null,
                entry(t`Ordered one within a week`, model.share ? range(model.share) : "–"),
                entry(t`Days of people`, number(model.people, 0)),
                entry(t`Picks ordered`, t`${number(model.ordered, 0)} of ${number(model.picks, 0)}`),
                entry(t`If all candidates were shown`, model.orderedOfCandidates === undefined ? "–"
                    : percent(model.orderedOfCandidates))))),
        h("p.quiet", null, t`A person and a day count once. The interval contains the true share in 95 of 100 cases. Of
            the candidates, chance draws those that are shown; the last number weighs each by how likely that was.`));
}

function entry(name, value) {
    return h("div", null, h("dt", null, name), h("dd", null, h("strong", null, value)));
}

/** @param {{share: number, low: number, high: number}} difference */
function verdict({ share, low, high }) {
    const text = t`${percent(share)} more ordered (${percent(low)} to ${percent(high)})`;
    return low > 0 ? t`The learnt model is better: ${text}.` : high < 0 ? t`The simple model is better: ${text}.`
        : t`Too few to be certain which is better: ${text}.`;
}

/** A chart of the weeks, and a table of the same. @param {any[]} models @param {string[]} starts of the weeks */
function weeks(models, starts) {
    const groups = models.map(({ model, weeks: known }) => ({
        title: titles[model] ?? model,
        points: starts.map((start) => known.find(({ from }) => from === start)?.share ?? null),
    }));
    const labels = starts.map((start) => dayOfYear(`${start}T00:00:00Z`, "UTC"));
    return h("div.card.block", null, h("h2", null, t`By week`),
        shareChart(labels, groups, t`Share of people who ordered one of their picks within a week, by the week of the
            picks`),
        h("details", null, h("summary", null, t`As a table`), h("div.wide", null, h("table", null,
            h("thead", null, h("tr", null, h("th", { scope: "col" }, t`Week from`),
                groups.map(({ title }) => h("th", { scope: "col" }, title)))),
            h("tbody", null, labels.map((label, index) => h("tr", null, h("th", { scope: "row" }, label),
                groups.map(({ points }) => h("td", null, points[index] ? range(points[index]) : "–")))))))),
        h("p.quiet", null, t`The picks of the last days may still be ordered: seven days count.`));
}

function range({ share, low, high }) {
    return `${percent(share)} (${percent(low)} – ${percent(high)})`;
}

function percent(share) {
    return `${number(share * 100, 0)} %`;
}
