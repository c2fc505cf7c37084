/** The page that edits the texts and sponsors of the shop's start page. */
import { command, get } from "../../common/api.js";
import { h } from "../../common/dom.js";
import { form } from "../../common/form.js";
import { t } from "../../common/language.js";
import { head } from "../../common/parts.js";

/** Returns the page. @param {import("../main.js").Context} context */
export async function show(context) {
    const { changes } = await get("/v1/sync");
    const site = changes?.site?.created?.[0] ?? {};
    return {
        title: t`Start page`,
        content: [
            head(t`The shop’s start page`, t`The first page that buyers see. `, h("a", { href: "/" },
                t`View the page`)),
            h("div.card", null, siteForm(site, context)),
        ],
    };
}

function siteForm(site, context) {
    const sponsors = (site.sponsors ?? []).map(({ name, website }) => [name, website].filter(Boolean).join(" "));
    return form({
        name: "start-page", submit: t`Save`,
        fields: [
            { name: "title", label: t`Title`, value: site.title, attributes: { maxlength: 100 } },
            { name: "welcome", label: t`Welcome`, type: "textarea", value: site.welcome,
                attributes: { maxlength: 500, rows: 3 } },
            { name: "donate", label: t`Donations`, type: "url", value: site.donate,
                hint: t`The address of a page where people can give money.`, attributes: { maxlength: 400 } },
            { name: "sponsors", label: t`Sponsors`, type: "textarea", value: sponsors.join("\n"),
                hint: t`One per line: the name, and the address of their website if they have one.`, convert: parse,
                attributes: { rows: 4 } },
        ],
        send: (values, key) => command("PUT", "/v1/site", values, key),
        done: () => context.announce(t`Saved. Buyers see it with their next update.`),
    });
}

/** Parses the sponsors, one per line. @param {string} text @returns {{name: string, website?: string}[]} */
function parse(text) {
    return text.split("\n").map((line) => line.trim()).filter((line) => line !== "").map((line) => {
        const [, name, website] = /^(.*?)\s*(https?:\/\/\S+)?$/.exec(line);
        return website ? { name: name || new URL(website).host, website } : { name };
    });
}
