/** The page of pick-up points. */
import { command } from "../../common/api.js";
import { h } from "../../common/dom.js";
import { action, form } from "../../common/form.js";
import { icon } from "../../common/icons.js";
import { t } from "../../common/language.js";
import { openingText } from "../../common/opening-times.js";
import { nothingYet, openDialog } from "../../common/parts.js";
import { loadMarket, marketHead } from "../market.js";
import { OpeningTimes } from "../opening-times.js";
import { freeName, shortName } from "../parts.js";

const degrees = (most) => ({ min: -most, max: most, step: 0.000001 });

/** Returns the page. @param {import("../main.js").Context} context */
export async function show(context) {
    const market = await loadMarket("farms", "places");
    return {
        title: t`Pick-up points`, name: "market-places",
        content: [
            marketHead(t`Pick-up points`, "/market/places", t`Where buyers pick up their orders.`, market.since),
            market.places.length > 0
                ? h("ul.places", { role: "list" }, market.places.map((place) => card(place, context)))
                : nothingYet("pin", t`There are none yet. Buyers can order once there is a pick-up point.`),
            context.can("grower") && h("div.card.block", null, open(market, context)),
        ],
    };
}

function card(place, context) {
    return h("li.card", { "data-place-of": place.pickup },
        h("h2", null, place.title),
        [place.address, place.county, openingText(place.opens), place.hours].filter(Boolean)
            .map((text) => h("p", null, text)),
        h("p", null, h("a", { href: `#/market/at/${place.pickup}` }, t`Orders`)),
        context.can("grower") && h("div.form-end", null,
            h("button.button.button-quiet", { type: "button", "aria-label": t`Change ${place.title}`,
                onclick: () => change(place, context) }, icon("pencil"), t`Change`),
            action({
                name: `close-place ${place.pickup}`, label: t`Close`, kind: "button-quiet",
                send: (key) => command("POST", `/v1/pickups/${place.pickup}/closings`, {}, key),
                done: () => {
                    context.announce(t`${place.title} is closed. Open orders there stay valid.`);
                    return context.refresh();
                },
            })));
}

function placeFields(place) {
    return [
        { name: "title", label: t`Name`, required: true, value: place.title, attributes: { maxlength: 120 } },
        { name: "address", label: t`Address`, value: place.address, attributes: { maxlength: 190 } },
        { name: "county", label: t`County`, value: place.county, attributes: { maxlength: 60 } },
        new OpeningTimes({ name: "opens", label: t`Opening times`, value: place.opens }),
        { name: "hours", label: t`More about when`, value: place.hours, hint: t`In winter by appointment`,
            attributes: { maxlength: 120 } },
        { name: "latitude", label: t`Latitude`, type: "number", value: place.latitude, attributes: degrees(90) },
        { name: "longitude", label: t`Longitude`, type: "number", value: place.longitude, attributes: degrees(180) },
    ];
}

function open(market, context) {
    const taken = new Set(market.places.map(({ pickup }) => pickup));
    return form({
        name: "open-pickup", title: t`Add a pick-up point`, submit: t`Add pick-up point`, keepsDraft: true,
        fields: placeFields({}),
        send: (values, key) => command("PUT", `/v1/pickups/${freeName(shortName(values.title), taken)}`,
            market.farms.length === 1 ? { farm: market.farms[0].farm, ...values } : values, key),
        done: (_answer, { title }) => {
            context.announce(t`${title} was added.`);
            return context.refresh();
        },
    });
}

function change(place, context) {
    const dialog = openDialog(place.title, form({
        name: `change-pickup ${place.pickup}`, submit: t`Save`, fields: placeFields(place),
        send: (values, key) => command("PUT", `/v1/pickups/${place.pickup}`,
            place.farm ? { farm: place.farm, ...values } : values, key),
        done: (_answer, { title }) => {
            dialog.close();
            context.announce(t`${title} was changed.`);
            return context.refresh();
        },
    }));
}
