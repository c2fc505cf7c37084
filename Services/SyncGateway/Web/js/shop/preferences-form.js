/** The form of a person's preferences. */
import { Choices } from "../common/choices.js";
import { allergens } from "../common/contents.js";
import { form } from "../common/form.js";
import { t } from "../common/language.js";
import { compare } from "./catalog.js";
import { hasPosition } from "./position.js";
import { savePreferences } from "./preferences.js";
import { forgetViews } from "./viewed.js";

const where = t`For promotions of farms that you are close to, while a page of the shop is open: browsers do not look
    where you are otherwise. The position stays on this device.`;

/**
 * @param {import("./preferences.js").Preferences} preferences @param {import("./catalog.js").Catalog} catalog
 * @param {import("./main.js").Context} context
 */
export function preferencesForm(preferences, catalog, context) {
    const kinds = [...new Set([...catalog.products.map(({ category }) => category).filter(Boolean),
        ...preferences.kinds])].sort(compare);
    const counties = [...new Set([...catalog.farms, ...catalog.pickups].map(({ county }) => county).filter(Boolean))]
        .sort(compare);
    return form({
        name: "preferences", title: t`Preferences`, submit: t`Save`,
        lead: t`They stay on this device.`,
        fields: [
            ...(kinds.length > 0 ? [new Choices({ name: "kinds", label: t`What interests you`,
                options: kinds.map((kind) => [kind, kind]), value: preferences.kinds })] : []),
            new Choices({ name: "avoid", label: t`Do not show what contains`, options: allergens,
                hint: t`As farms declare it. What is not declared is marked: ask the farm if you have to know.`,
                value: preferences.avoid }),
            { name: "diet", label: t`Your diet`, type: "select", value: preferences.diet,
                options: [["", t`Anything`], ["vegetarian", t`Vegetarian`], ["vegan", t`Vegan`]] },
            { name: "county", label: t`Your county`, type: "select", value: preferences.county,
                options: [["", t`None chosen`], ...counties.map((county) => [county, county])] },
            { name: "promotions", label: t`Show promotions`, type: "checkbox", value: preferences.promotions },
            { name: "position", label: t`Use my position`, type: "checkbox", value: preferences.position,
                hint: hasPosition ? where : t`Browsers give positions over https only.`,
                attributes: { disabled: !hasPosition } },
            ...(context.me ? [{ name: "views", label: t`Remember what I look at`, type: "checkbox",
                value: preferences.views,
                hint: t`The farm server then notes the products that you open while you are signed in, and suggests
                    them again. When you switch this off, it deletes them.` }] : []),
        ],
        send: async ({
            kinds: chosen = [], avoid = [], diet = "", county = "", promotions, position, views = preferences.views,
        }) => {
            if (preferences.views && !views) await forgetViews();
            await savePreferences({
                kinds: chosen, avoid, diet, county, promotions, position: position && hasPosition, views,
            });
            return {};
        },
        done: () => context.announce(t`Saved.`),
    });
}
