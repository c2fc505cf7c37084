/** The form that creates the first farm of a new installation. */
import { command } from "../../common/api.js";
import { h } from "../../common/dom.js";
import { form } from "../../common/form.js";
import { t } from "../../common/language.js";
import { head, nothingYet } from "../../common/parts.js";
import { shortName } from "../parts.js";

/** Returns the content of the page. @param {import("../main.js").Context} context @returns {any[]} */
export function createFarm(context) {
    if (!context.can("administrator")) {
        return [head(t`No farm yet`), nothingYet("home", t`An administrator has to create the farm first.`)];
    }
    const zones = Intl.supportedValuesOf?.("timeZone") ?? ["UTC"];
    const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
    return [
        head(t`Create your farm`,
            t`Its name and country are shown in the story of every box. Its time zone decides when a day begins.`),
        h("div.card", null, form({
            name: "create-farm", submit: t`Create farm`,
            fields: [
                { name: "title", label: t`Name of the farm`, required: true, attributes: { maxlength: 200 } },
                { name: "country", label: t`Country`, hint: t`Two letters, as in ES or FR.`,
                    convert: (text) => text.toUpperCase(),
                    attributes: {
                        pattern: "[A-Za-z]{2}", maxlength: 2, title: t`Use two letters.`, autocomplete: "country",
                    } },
                { name: "zone", label: t`Time zone`, type: "select", required: true,
                    value: zones.includes(here) ? here : "UTC",
                    options: [...new Set([...zones, "UTC"])].map((zone) => [zone, zone.replaceAll("_", " ")]) },
            ],
            send: (values, key) => command(
                "POST", "/v1/farms", { farm: shortName(values.title) || "farm", ...values }, key),
            done: () => context.refresh(),
        })),
    ];
}
