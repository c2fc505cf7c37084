/** The labels of a lot's boxes, and the link to its story. */
import { command } from "../../common/api.js";
import { fill, h } from "../../common/dom.js";
import { action } from "../../common/form.js";
import { weight } from "../../common/format.js";
import { icon } from "../../common/icons.js";
import { t } from "../../common/language.js";
import { nothingYet } from "../../common/parts.js";

/** @param {import("../main.js").Context} context @param {any} lot @param {any[]} boxes @returns {any[]} */
export function labelMaker(context, lot, boxes) {
    const story = `/01/${lot.gtin}/10/${lot.lot}`;
    const made = h("div", { id: "labels" });
    const isStopped = Boolean(lot.recalled || lot.held);
    const canPrint = context.can("grower") && boxes.length > 0 && !isStopped && !lot.handedTo;
    return [
        h("h2", null, t`Labels and story`),
        h("p", null, h("a", { href: story, target: "_blank" }, t`The story as buyers see it`),
            h("span.quiet", null, t` (opens a new tab; without a label’s signature)`)),
        boxes.length === 0 && nothingYet("print", t`Labels need boxes: pack the lot first.`),
        isStopped && boxes.length > 0 && nothingYet("warning", lot.recalled
            ? t`This lot was recalled: no labels are printed for it.`
            : t`This lot is on hold: no labels are printed until it is released.`),
        canPrint && action({
            name: `print-labels ${lot.lot}`, icon: "print",
            label: lot.printed ? t`Print the labels again` : t`Print labels`,
            send: (key) => command("POST", `/v1/lots/${lot.lot}/labels`, {}, key),
            done: ({ labels }) => {
                fill(made, sheet(lot.lot, labels));
                context.announce(t`${labels.length} labels are ready.`);
                made.querySelector("a")?.focus();
            },
        }),
        made,
    ];
}

function sheet(lot, labels) {
    const address = (kind, serial) =>
        `/v1/lots/${lot}/labels.${kind}${serial ? `?serial=${encodeURIComponent(serial)}` : ""}`;
    return [
        h("p", null,
            h("a.button", { href: address("pdf") }, icon("print"), t`All ${labels.length} as PDF`)),
        h("details.fold", null, h("summary", null, t`Each label`),
            h("ul.rows", { role: "list" }, labels.map(({ serial, url, index, of, grams }) => h("li", null,
                h("strong", null, t`Box ${index} of ${of}`), ` ${weight(grams)}, `, h("span.code", null, serial), " ",
                h("span.links", null,
                    h("a", { href: storyPath(url), target: "_blank", "aria-label": t`Story of box ${index}` },
                        t`Story`),
                    " ",
                    h("a", { href: address("svg", serial), "aria-label": t`Label of box ${index} as SVG` }, "SVG"), " ",
                    h("a", { href: address("png", serial), "aria-label": t`Label of box ${index} as PNG` }, "PNG")))))),
    ];
}

/** Returns the path of a label's address, so that the link leads to this server and not to the public address. */
function storyPath(url) {
    try {
        return new URL(url).pathname;
    } catch {
        return url;
    }
}
