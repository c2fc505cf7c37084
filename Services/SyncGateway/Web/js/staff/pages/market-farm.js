/** The page that edits the farm's entry in the directory. */
import { command, get, Problem } from "../../common/api.js";
import { h } from "../../common/dom.js";
import { form } from "../../common/form.js";
import { t } from "../../common/language.js";
import { nothingYet } from "../../common/parts.js";
import { loadMarket, marketHead } from "../market.js";
import { pictureFields } from "./product-fields.js";

const degrees = (most) => ({ min: -most, max: most, step: 0.000001 });

/** Returns the page. @param {import("../main.js").Context} context @param {string} [chosen] */
export async function show(context, chosen) {
    const market = await loadMarket("farms");
    const farm = market.farms.find((one) => one.farm === chosen) ?? market.farms[0];
    const lead = t`What buyers find in the directory of farms.`;
    if (!farm) {
        return { title: t`Farm page`, name: "market-farm", content: [marketHead(t`Farm page`, "/market/farm", lead),
            nothingYet("home", t`Create the farm first.`, h("a", { href: "#/" }, t`Create farm`))] };
    }
    const profile = await found(farm);
    return {
        title: t`Farm page`, name: "market-farm",
        content: [
            marketHead(t`Farm page`, "/market/farm", lead, market.since),
            market.farms.length > 1 && h("nav.pills", { "aria-label": t`Farm` }, h("ul", { role: "list" },
                market.farms.map((one) => h("li", null, h("a.pill", {
                    href: `#/market/farm/${one.farm}`, "aria-current": one === farm && "true",
                }, one.title))))),
            profile && h("p.seen-as", null, h("a", { href: `/farms/${farm.farm}` }, t`As buyers see it`)),
            context.can("grower") ? h("div.card", null, profileForm(farm, profile ?? { title: farm.title }, context))
                : h("p.quiet", null, profile?.description ?? t`The farm has no description yet.`),
        ],
    };
}

async function found({ farm }) {
    try {
        return await get(`/v1/directory/${farm}`);
    } catch (error) {
        if (error instanceof Problem && error.status === 404) return null;
        throw error;
    }
}

function profileForm({ farm }, profile, context) {
    return form({
        name: `profile-farm ${farm}`, submit: t`Save`, keepsDraft: true,
        fields: [
            { name: "title", label: t`Name`, required: true, value: profile.title, attributes: { maxlength: 120 } },
            { name: "description", label: t`Description`, type: "textarea", value: profile.description,
                attributes: { maxlength: 1500, rows: 4 } },
            { name: "hasGoods", label: t`It has goods for sale`, type: "checkbox", value: profile.hasGoods,
                hint: t`Also at the farm gate. What can be ordered here is shown automatically.` },
            { name: "telephone", label: t`Telephone`, type: "tel", value: profile.telephone,
                hint: t`The farm’s own, not a person’s.`, attributes: { maxlength: 40 } },
            { name: "website", label: t`Website`, type: "url", value: profile.website, hint: t`https://…`,
                attributes: { maxlength: 190 } },
            { name: "street", label: t`Street and place`, value: profile.street, attributes: { maxlength: 190 } },
            { name: "county", label: t`County`, value: profile.county, hint: t`As on the map, for example Greene.`,
                attributes: { maxlength: 60 } },
            { name: "region", label: t`State or province`, value: profile.region, hint: t`Tennessee`,
                attributes: { maxlength: 60 } },
            { name: "latitude", label: t`Latitude`, type: "number", value: profile.latitude,
                attributes: degrees(90) },
            { name: "longitude", label: t`Longitude`, type: "number", value: profile.longitude,
                attributes: degrees(180) },
            ...pictureFields(profile, t`A white barn above rows of young trees.`),
        ],
        send: (values, key) => command("PUT", `/v1/directory/${farm}`, values, key),
        done: () => {
            context.announce(t`Saved. Buyers see it with their next update.`);
            return context.refresh();
        },
    });
}
