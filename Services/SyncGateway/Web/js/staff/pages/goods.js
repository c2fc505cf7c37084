/** The page of goods: which climate each kind needs in a store. */
import { command, get, list } from "../../common/api.js";
import { h } from "../../common/dom.js";
import { form } from "../../common/form.js";
import { counted, measured, quantityName } from "../../common/format.js";
import { inSentence, t } from "../../common/language.js";
import { head, nothingYet } from "../../common/parts.js";
import { freeName, shortName } from "../parts.js";

const quantities = ["temperature", "humidity"];
/** The stages of lots that can have limits of their own. */
const stages = [["", t`All, unless a stage has its own`], ["harvested", t`Harvested, not packed yet`],
    ["packed", t`Packed in boxes`]];
/** The longest short name of a kind. */
const nameCharacters = 20;

/** Returns the page. @param {import("../main.js").Context} context */
export async function show(context) {
    const [{ items, recommended }, lots] = await Promise.all([get("/v1/goods"), list("/v1/lots")]);
    const unassigned = productsWithoutKind(lots, items);
    return {
        title: t`Goods`,
        content: [
            head(t`Goods`, t`Which climate each kind needs. Its limits apply to every store in which such goods
                lie.`),
            unassigned.length > 0 && h("p.note", null,
                t`${counted(unassigned.length, "product")} without limits: ${unassigned.join(", ")}.`),
            items.length === 0
                ? nothingYet("packed", t`No kind of goods has limits yet. Start from a recommendation of a
                    handbook.`)
                : h("div.folds", null, items.map((kind) => card(context, kind))),
            context.can("grower") && h("div.card.block", null, add(context, items, recommended, unassigned)),
        ],
    };
}

function productsWithoutKind(lots, kinds) {
    const assigned = new Set(kinds.flatMap(({ products }) => products.map((product) => product.toLowerCase())));
    const inStores = lots.filter(({ place, handedTo }) => !handedTo && place?.startsWith("store/"));
    return [...new Set(inStores.map(({ product }) => product))]
        .filter((product) => !assigned.has(product.toLowerCase())).sort();
}

function card(context, kind) {
    return h("details.card.fold", { "data-goods": kind.goods },
        h("summary", null, `${kind.title}: ${limitsInWords(kind.limits)}`
            + (kind.stage ? ` (${kind.stage})` : "")),
        kind.products.length > 0 ? h("p", null, t`Products: ${kind.products.join(", ")}`)
            : h("p.note", null, t`No product is of this kind yet, so the limits apply nowhere.`),
        kind.source && h("p.quiet", null, t`From: ${kind.source}`),
        context.can("grower") && h("div.block", null, goodsForm(context, {
            name: `set-goods ${kind.goods}`, submit: t`Save`, kind, goods: () => kind.goods,
        })));
}

/** Returns `temperature −0.5 to 4 °C, air humidity at least 85 %`. */
function limitsInWords(limits) {
    if (limits.length === 0) return t`not watched`;
    return limits.map(({ quantity, above, below }) => {
        const [low, high] = [below, above].map((value) => Number.isFinite(value) && measured(value, quantity));
        const range = low && high ? `${low} to ${high}` : low ? t`at least ${low}` : t`at most ${high}`;
        return `${inSentence(quantityName(quantity))} ${range}`;
    }).join(", ");
}

function add(context, kinds, recommended, unassigned) {
    const taken = new Set([...kinds, ...recommended].map(({ goods }) => goods));
    return goodsForm(context, {
        name: "add-goods", title: t`Add a kind of goods`, submit: t`Add`, recommended,
        kind: { title: "", products: unassigned.slice(0, 1), limits: [] },
        lead: t`An alarm is raised when a value leaves the limits. A recommendation fills in limits with some
            room.`,
        goods: ({ recommendation, title }) =>
            recommendation ?? freeName(shortName(title).slice(0, nameCharacters - 3), taken),
    });
}

/** @param {any} context @param {any} given `goods` returns the short name of the kind from the values */
function goodsForm(context, { name, title, lead, submit, kind, goods, recommended = [] }) {
    const choices = recommended.map((one) => [one.goods, one.title]);
    return form({
        name, title, lead, submit,
        fields: [
            ...(choices.length > 0
                ? [{ name: "recommendation", label: t`Recommendation`, type: "select",
                    options: [["", t`None: limits of our own`], ...choices] }] : []),
            { name: "title", label: t`Name`, required: true, value: kind.title, attributes: { maxlength: 80 } },
            { name: "products", label: t`Products of this kind`, type: "textarea", value: kind.products.join("\n"),
                hint: t`One in each line, as on the lots.`, attributes: { rows: 3 } },
            { name: "stage", label: t`Which lots`, type: "select", value: kind.stage ?? "", options: stages },
            ...quantities.flatMap((quantity) => limitFields(quantity, kind.limits)),
            { name: "source", label: t`Where the limits are from`, value: kind.source ?? "",
                attributes: { maxlength: 300 } },
        ],
        send: (values, key) => command("PUT", `/v1/goods/${goods(values)}`, body(values), key),
        done: (_answer, values) => {
            context.announce(t`The limits of ${values.title} were saved.`);
            return context.refresh();
        },
        prepare: (controls) => {
            /** @type {any} a select, or undefined */
            const choice = controls.recommendation;
            choice?.addEventListener("change", () => {
                const chosen = recommended.find((one) => one.goods === choice.value);
                if (chosen) fillIn(controls, chosen);
            });
        },
    });
}

function limitFields(quantity, limits) {
    const limit = limits.find((one) => one.quantity === quantity) ?? {};
    const what = quantityName(quantity);
    const unit = quantity === "temperature" ? "°C" : "%";
    return [["below", t`at least`], ["above", t`at most`]].map(([side, words]) => ({
        name: `${quantity}-${side}`, label: `${what}, ${words} (${unit})`, type: "number", value: limit[side] ?? "",
        attributes: { step: "any" },
    }));
}

function body(values) {
    const limits = quantities.flatMap((quantity) => {
        const [below, above] = [values[`${quantity}-below`], values[`${quantity}-above`]];
        return below === undefined && above === undefined ? [] : [{ quantity, below, above }];
    });
    const products = (values.products ?? "").split("\n").map((line) => line.trim()).filter(Boolean);
    return { title: values.title, products, limits, source: values.source, stage: values.stage };
}

function fillIn(controls, { title, limits, source }) {
    controls.title.value = title;
    controls.source.value = source;
    for (const quantity of quantities) {
        const limit = limits.find((one) => one.quantity === quantity) ?? {};
        controls[`${quantity}-below`].value = limit.below ?? "";
        controls[`${quantity}-above`].value = limit.above ?? "";
    }
}
