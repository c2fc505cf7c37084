/** The page of the promotions that apply now, here and to this person. */
import { h } from "../../common/dom.js";
import { t } from "../../common/language.js";
import { nothingYet } from "../../common/parts.js";
import { promotionList } from "../promotions.js";

/** Returns the page. @param {import("../main.js").Context} context @param {import("../catalog.js").Catalog} catalog */
export async function show(context, catalog) {
    return {
        title: t`Promotions`, name: "promotions",
        content: [
            h("div.head", null, h("h1", { tabindex: "-1" }, t`Promotions`),
                h("p", null, t`What farms recommend to you, here and now.`)),
            catalog.promotions.length > 0 ? promotionList(catalog.promotions, catalog, "h2")
                : nothingYet("bell", t`There is none at the moment. Some apply at certain hours, or near a farm,
                    only.`),
            h("p.block", null,
                h("a", { href: "/settings" }, t`What is shown to you, and whether your position is used`)),
        ],
    };
}
