/** The photographs of a plot or store: a strip over time, the picture in large, and a field that adds one. */
import { NoResponse, Problem, command, get, sendPhotograph } from "../common/api.js";
import { fill, freshID, h, when } from "../common/dom.js";
import { action } from "../common/form.js";
import { dayAndClock } from "../common/format.js";
import { icon } from "../common/icons.js";
import { t } from "../common/language.js";
import { nothingYet, openDialog } from "../common/parts.js";
import { small } from "./picture-field.js";

/**
 * Returns the section, which loads the photographs by itself.
 * @param {import("./main.js").Context} context @param {string} place `plot/p1` @param {string} zone
 */
export function photographs(context, place, zone) {
    const strip = h("div");
    const show = async () => {
        try {
            const page = await get(`/v1/photographs?place=${encodeURIComponent(place)}`);
            fill(strip, stripOf(page));
        } catch (error) {
            if (!(error instanceof Problem || error instanceof NoResponse)) throw error;
            fill(strip, h("p.quiet", null, t`The photographs cannot be shown without a connection.`));
        }
    };
    const stripOf = ({ items, next }) => {
        if (items.length === 0) return nothingYet("field", t`No photograph yet.`);
        const list = h("ul.photographs", { role: "list", tabindex: "0",
            "aria-label": t`Photographs, the newest first` },
            items.map((one) => photograph(context, one, zone, show)));
        return [list, next && older(context, list, next, place, zone, show)];
    };
    show();
    return h("section.block", { id: "photographs" }, h("h2", null, t`Photographs`), strip,
        context.can("grower") && addField(context, place, show));
}

/** Returns the button that shows older photographs behind the others. */
function older(context, list, next, place, zone, show) {
    const button = h("button.button.button-quiet", { type: "button", onclick: async () => {
        const page = await get(
            `/v1/photographs?place=${encodeURIComponent(place)}&after=${encodeURIComponent(next)}`);
        list.append(...page.items.map((one) => photograph(context, one, zone, show)));
        button.replaceWith(...(page.next ? [older(context, list, page.next, place, zone, show)] : []));
    } }, t`Older photographs`);
    return button;
}

function photograph(context, one, zone, show) {
    const taken = dayAndClock(one.taken, zone);
    const [width, height] = one.width > one.height
        ? [160, Math.round(160 * one.height / one.width)] : [Math.round(120 * one.width / one.height), 120];
    return h("li", { "data-photograph": one.photograph },
        h("button.photograph", { type: "button", onclick: () => enlarge(context, one, zone, show) },
            h("img", { src: `/media/${one.thumbnail}`, alt: t`Photograph, ${taken}`, width, height, loading: "lazy" }),
            h("span.quiet", null, when(one.taken, taken)),
            one.isShown && h("span.goods", null, icon("check"), t`In stories`)));
}

function enlarge(context, one, zone, show) {
    const taken = dayAndClock(one.taken, zone);
    const dialog = openDialog(taken,
        h("img.photograph-large", { src: `/media/${one.preview}`, alt: t`Photograph, ${taken}`, width: one.width,
            height: one.height }),
        one.camera && h("p.quiet", null, t`Camera ${one.camera}`),
        h("p", null, h("a", { href: `/media/${one.picture}` }, t`Full size`)),
        context.can("grower") && [h("p.quiet", null, one.isShown
            ? t`Buyers see it in the stories of what was here then.`
            : t`Only the staff see it. In a story, buyers see what was here then.`), action({
            name: `show-photograph ${one.photograph}`, label: one.isShown ? t`Take out of stories` : t`Show in stories`,
            send: (key) => command("PUT", `/v1/photographs/${one.photograph}/story`, { isShown: !one.isShown }, key),
            done: async () => {
                dialog.close();
                context.announce(one.isShown ? t`Stories do not show the photograph any more.`
                    : t`Stories show the photograph.`);
                await show();
            },
        }), action({
            name: `remove-photograph ${one.photograph}`, label: t`Remove this photograph`, kind: "button-quiet",
            send: (key) => command("POST", `/v1/photographs/${one.photograph}/removal`, {}, key),
            done: async () => {
                dialog.close();
                context.announce(t`The photograph was removed.`);
                await show();
            },
        })]);
}

/** Returns the field that sends a photograph as soon as it is chosen; a phone opens its camera. */
function addField(context, place, show) {
    const id = freshID("photograph");
    const state = h("p.hint", { id: `${id}-state`, role: "status" });
    const control = h("input", { type: "file", id, accept: "image/png,image/jpeg,image/webp", capture: "environment",
        "aria-describedby": `${id}-state` });
    control.addEventListener("change", async () => {
        const [file] = control.files;
        if (!file) return;
        state.textContent = t`Sending the photograph …`;
        try {
            await sendPhotograph(await small(file), place);
            state.textContent = "";
            context.announce(t`The photograph was saved.`);
            await show();
        } catch (error) {
            state.textContent = error instanceof Problem || error instanceof NoResponse ? error.message
                : t`This file cannot be read as a picture. Use JPEG, PNG or WebP.`;
        }
        control.value = "";
    });
    return h("div.field.field-picture", null, h("label", { for: id }, t`Add a photograph`), control, state);
}
