/** The start page: introduction, ways to find a farm, fresh products and sponsors. */
import { fill, h } from "../../common/dom.js";
import { counted } from "../../common/format.js";
import { icon } from "../../common/icons.js";
import { t } from "../../common/language.js";
import { go } from "../address.js";
import { productGrid } from "../parts.js";
import { promotionList } from "../promotions.js";
import { dailyPicks, suggestions } from "../suggestions.js";

const Limits = { fresh: 6, promotions: 3, sponsors: 24 };

/** Returns the page. @param {import("../main.js").Context} context @param {import("../catalog.js").Catalog} catalog */
export async function show(context, catalog) {
    const { site } = catalog;
    const fresh = catalog.onSale.sort((left, right) => harvest(catalog, right).localeCompare(harvest(catalog, left)));
    const thisWeek = h("section.block", { hidden: true });
    const draw = (products) => {
        thisWeek.hidden = products.length === 0 && fresh.length > 0;
        fill(thisWeek, h("div.head-row", null, h("h2", null, t`This week`),
            fresh.length > Limits.fresh && h("a", { href: "/shop" }, t`All products`)),
            fresh.length > 0 ? productGrid(products.slice(0, Limits.fresh), catalog, "h3")
                : h("p.quiet", null, catalog.farms.length > 0
                    ? t`Nothing is for sale at the moment. Look again when something is ripe.`
                    : t`No farm has opened its shop here yet.`));
    };
    // It leaves out what is picked for a person who is signed in, which is read from the device first.
    if (!context.me) draw(fresh);
    return {
        title: t`Furrow`, name: "start",
        content: [
            h("section.start-hero", null, scene(),
                h("div.start-words", null,
                    h("h1", { tabindex: "-1" }, site?.title ?? t`Good food from farms near you`),
                    h("p", null, site?.welcome
                        ?? t`See who grows it, buy what is ripe this week, and follow every box back to its
                            field.`),
                    search())),
            ways(catalog),
            promotions(catalog),
            dailyPicks(context, catalog, (picked) => draw(fresh.filter(({ id }) => !picked.has(id)))),
            thisWeek,
            suggestions(context, catalog, {
                // The picks contain what is popular and what is new already.
                kinds: context.me ? ["again", "now", "viewed", "place", "county"]
                    : ["popular", "now", "discover", "county"],
                shown: new Set(fresh.slice(0, Limits.fresh).map((product) => product.id)),
            }),
            h("section.card.scan", null, icon("shield"), h("div", null, h("h2", null, t`You have a box?`),
                h("p", null, t`Point your phone’s camera at the code on it. You see where it grew, what was done to it
                    and how cold it was kept; your phone checks that nobody changed a word.`),
                h("button.button", { type: "button", onclick: () => scan(catalog) }, icon("camera"), t`Scan a code`))),
            support(site),
        ],
    };
}

/** The reader of codes is loaded when it is used. */
async function scan(catalog) {
    (await import("../scan.js")).scanCode(catalog);
}

function promotions(catalog) {
    if (catalog.promotions.length === 0) return null;
    return h("section.block", { id: "promotions" },
        h("div.head-row", null, h("h2", null, t`For you, now`),
            catalog.promotions.length > Limits.promotions && h("a", { href: "/promotions" }, t`All promotions`)),
        promotionList(catalog.promotions.slice(0, Limits.promotions), catalog));
}

function harvest(catalog, product) {
    return catalog.bestOffer(product)?.harvested ?? "";
}

function search() {
    const input = h("input", {
        type: "search", name: "q", placeholder: t`Tomatoes, eggs …`, "aria-label": t`Search the shop`,
    });
    const form = h("form.search", { role: "search" }, input, h("button.button", { type: "submit" }, t`Search`));
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        go(`/shop?q=${encodeURIComponent(input.value.trim())}`);
    });
    return form;
}

function ways(catalog) {
    const ways = [
        ["/directory", "field", t`By county`, some(catalog.counties.length, t`county`, t`counties`)],
        ["/directory/map", "pin", t`On the map`, t`Where they are`],
        ["/directory/all", "home", t`All farms`, some(catalog.farms.length, t`farm`, t`farms`)],
        ["/directory/favourites", "heart", t`Favourites`, some(
            catalog.farms.filter((farm) => catalog.liked.has(`farm.${farm.id}`)).length, t`farm`, t`farms`)],
    ];
    return h("nav.ways", { "aria-label": t`Find a farm` }, h("ul", { role: "list" }, ways.map(
        ([path, drawing, title, more]) => h("li", null, h("a.card.way", { href: path }, icon(drawing),
            h("strong", null, title), h("span.quiet", null, more))))));
}

/** Returns `3 farms`, or that there are none. */
function some(count, one, many) {
    return count === 0 ? t`None yet` : counted(count, one, many);
}

function support(site) {
    const sponsors = (site?.sponsors ?? []).slice(0, Limits.sponsors);
    const donate = safe(site?.donate);
    if (sponsors.length === 0 && donate === null) return null;
    const list = h("ul.sponsors", { role: "list" });
    fill(list, sponsors.map(({ name, website }) => h("li", null,
        safe(website) ? h("a", { href: safe(website), rel: "noopener", target: "_blank" }, name) : name)));
    return h("section.support", { "aria-labelledby": "support" },
        h("h2", { id: "support" }, t`Sponsors`),
        sponsors.length > 0 && [h("p.quiet", null, t`This directory is made possible by`), list],
        donate !== null && h("p", null, h("a.button.button-quiet", { href: donate, rel: "noopener", target: "_blank" },
            icon("heart"), t`Donate`)));
}

/** @returns {string|null} the address if it is http or https */
function safe(text) {
    return /^https?:\/\/[^\s"<>]+$/.test(text ?? "") ? text : null;
}

/** A decorative drawing of fields and a sun. */
function scene() {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("class", "start-scene");
    svg.setAttribute("viewBox", "0 0 1200 320");
    svg.setAttribute("preserveAspectRatio", "xMidYMax slice");
    svg.setAttribute("aria-hidden", "true");
    const drawn = [
        ["scene-sun", "M930 64a56 56 0 110 112 56 56 0 010-112z"],
        ["scene-far", "M0 214C150 150 300 140 470 186s330 34 480-10 190-20 250 4v140H0z"],
        ["scene-mid", "M0 246c190-50 380-44 590-16s420 20 610-24v114H0z"],
        ["scene-near", "M0 276c260-34 560-30 800-12 160 12 290 6 400-10v66H0z"],
        ["scene-rows", "M600 262C560 280 440 300 300 320M612 262c-20 18-80 38-160 58M624 262c-4 18-14 38-30 58"
            + "M636 262c12 18 40 38 84 58M648 262c40 16 130 36 240 58M663 263c70 14 240 34 420 57"
            + "M588 262C490 276 300 296 100 320"],
    ];
    for (const [kind, path] of drawn) {
        const element = document.createElementNS("http://www.w3.org/2000/svg", "path");
        element.setAttribute("class", kind);
        element.setAttribute("d", path);
        svg.append(element);
    }
    return svg;
}
