/** The forms of a lot: pack, store, split, hand over and correct while it is on the farm; recall at any time. */
import { command } from "../../common/api.js";
import { h } from "../../common/dom.js";
import { form } from "../../common/form.js";
import { counted, weight } from "../../common/format.js";
import { t } from "../../common/language.js";
import { nothingYet } from "../../common/parts.js";
import { toLocal } from "../../common/zones.js";

const toGrams = (kilograms) => Math.round(kilograms * 1000);
const kilograms = { min: 0.001, step: 0.001 };

/** @param {import("../main.js").Context} context @param {any} lot @param {any} land @param {string} zone */
export function lotForms(context, lot, land, zone) {
    if (!context.can("grower")) return null;
    if (lot.recalled) return nothingYet("warning", t`This lot was recalled; nothing more can be done with it.`);
    const path = `/v1/lots/${lot.lot}`;
    const then = (text) => (answer) => {
        context.announce(text(answer));
        return context.refresh();
    };
    const send = (verb) => (values, key) => command("POST", `${path}/${verb}`, values, key);
    const heldBack = lot.held && (lot.parent
        ? nothingYet("warning", t`It is on hold together with the lot it was split from. Release that lot: `,
            h("a", { href: `#/lots/${lot.parent}` }, lot.parent))
        : h("details.card.fold", { open: true }, h("summary", null, t`Release`), release({ lot, send, then })));
    const shared = { lot, land, zone, send, then };
    if (lot.handedTo) {
        return h("div.folds", null, nothingYet("handed-over", t`This lot has left the farm.`),
            heldBack,
            fold(t`Recall`, recall(shared)));
    }
    return h("div.folds", null,
        heldBack,
        fold(t`Pack`, lot.left > 0 ? pack(shared) : spent()),
        fold(t`Move to a store`, store(shared)),
        fold(t`Split`, lot.left > 0 ? split(shared) : spent()),
        fold(t`Hand over`, lot.held
            ? nothingYet("warning", t`This lot is on hold. Release it before you hand it over.`) : handOver(shared)),
        !lot.parent && fold(t`Correct the weight`, correct(shared)),
        fold(t`Recall`, recall(shared)));
}

function fold(title, content) {
    return h("details.card.fold", { name: "lot-forms" }, h("summary", null, title), content);
}

function spent() {
    return nothingYet("packed", t`Everything is packed or split off.`);
}

function pack({ lot, send, then }) {
    return form({
        name: `pack ${lot.lot}`, lead: t`${weight(lot.left)} left to pack.`, submit: t`Pack`,
        fields: [
            { name: "boxes", label: t`Boxes`, type: "number", required: true,
                attributes: { min: 1, max: 1000, step: 1 } },
            { name: "gramsEach", label: t`Kilograms per box`, type: "number", required: true, convert: toGrams,
                attributes: kilograms },
        ],
        send: send("packings"),
        done: then(({ serials }) => t`${counted(serials.length, t`box was`, t`boxes were`)} packed.`),
    });
}

function store({ lot, land, zone, send, then }) {
    if (land.stores.length === 0) {
        return nothingYet("stored", t`There is no store yet.`, h("a", { href: "#/stores" }, t`Add a store`));
    }
    return form({
        name: `store ${lot.lot}`, submit: t`Move lot`,
        fields: [
            { name: "store", label: t`Store`, type: "select", required: true,
                options: land.stores.map((one) => [one.store, one.title]) },
            at(zone),
        ],
        send: send("storings"), done: then(() => t`The lot was moved to the store.`),
    });
}

function split({ lot, send, then }) {
    return form({
        name: `split ${lot.lot}`, submit: t`Split`,
        lead: t`Part of it becomes a separate lot, with the same story up to this point.`,
        fields: [
            { name: "grams", label: t`Kilograms to split off`, type: "number", required: true, convert: toGrams,
                attributes: kilograms },
            { name: "into", label: t`New lot number`, hint: t`If left empty, one is made.`,
                convert: (text) => text.toUpperCase(),
                attributes: { pattern: "[A-Za-z0-9\\-]{1,20}", title: t`Use up to 20 letters, digits and hyphens.` } },
        ],
        send: send("splits"), done: then((answer) => t`${answer.lot} was split off.`),
    });
}

function handOver({ lot, zone, send, then }) {
    return form({
        name: `hand-over ${lot.lot}`, submit: t`Hand over`,
        lead: t`The whole lot leaves the farm. Buyers see who received it.`,
        fields: [
            { name: "to", label: t`To`, required: true, hint: t`A shop, market or company, not a person.`,
                attributes: { maxlength: 200 } },
            { name: "document", label: t`Delivery note`, attributes: { maxlength: 200 } },
            at(zone),
        ],
        send: send("handovers"), done: then(() => t`The lot was handed over.`),
    });
}

function correct({ lot, send, then }) {
    return form({
        name: `correct ${lot.lot}`, submit: t`Save correction`,
        lead: t`The first entry stays visible beside the correction, for buyers too.`,
        fields: [
            { name: "grams", label: t`Kilograms harvested`, type: "number", required: true, convert: toGrams,
                attributes: kilograms },
            { name: "reason", label: t`Reason`, required: true, hint: t`Shown to buyers.`,
                attributes: { maxlength: 200 } },
        ],
        send: send("corrections"), done: then(() => t`The weight was corrected.`),
    });
}

function release({ lot, send, then }) {
    return form({
        name: `release ${lot.lot}`, submit: t`Release`,
        lead: t`The lot, and the lots split off from it, can be labelled, sold and handed over again. Your name is
            recorded with the release.`,
        fields: [
            { name: "reason", label: t`Why it is safe`, required: true, hint: t`Shown to buyers.`,
                attributes: { maxlength: 500 } },
        ],
        send: send("releases"), done: then(() => t`The lot was released.`),
    });
}

function recall({ lot, send, then }) {
    return form({
        name: `recall ${lot.lot}`, submit: t`Recall lot`,
        lead: t`The lot, and the lots split off from it, are no longer sold. Everyone who ordered from them is
            notified, and everyone who scans a box sees the recall. A recall cannot be undone.`,
        fields: [
            { name: "reason", label: t`Reason`, required: true, hint: t`Shown to buyers.`,
                attributes: { maxlength: 500 } },
        ],
        send: send("recalls"),
        done: then(({ includes }) => includes.length > 0
            ? t`The lot and ${counted(includes.length, "lot", "lots")} split off it were recalled.`
            : t`The lot was recalled.`),
    });
}

function at(zone) {
    return {
        name: "happened", label: t`When`, type: "datetime", required: true, zone, value: toLocal(Date.now(), zone),
        isPast: true,
    };
}
