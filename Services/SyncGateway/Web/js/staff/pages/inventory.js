/** The page of one inventory: its items, and its stocktakes. */
import { command, get, NoResponse } from "../../common/api.js";
import { CachedLists } from "../../common/cache.js";
import { fill, h, when } from "../../common/dom.js";
import { form } from "../../common/form.js";
import { counted, dayAndClock, money } from "../../common/format.js";
import { t } from "../../common/language.js";
import { head, nothingYet, openDialog } from "../../common/parts.js";
import { loadLand } from "../farm.js";
import { nearestButton } from "../beacons.js";
import { thumbnail } from "../market.js";
import { currencies, inMajor, inMinor } from "../money.js";
import { PictureField } from "../picture-field.js";
import { asOf, freeName, noSuch, shortName } from "../parts.js";
import { scanButton } from "../scan.js";
import { stateNames } from "../stocktake-count.js";
import { planView, SpotField } from "../plan.js";

/** Returns the page. @param {import("../main.js").Context} context @param {string} name of the inventory */
export async function show(context, name) {
    const cached = new CachedLists();
    const [land, inventories] = await Promise.all([loadLand(cached), cached.list("/v1/inventories")]);
    const inventory = inventories.find((one) => one.inventory === name);
    if (!inventory) return noSuch(t`inventory`, "#/inventories", t`All inventories`);
    const [items, stocktakes] = await Promise.all([
        cached.list(`/v1/inventories/${name}/items`), cached.list(`/v1/stocktakes?inventory=${name}`)]);
    items.sort((one, other) => one.title.localeCompare(other.title));
    // Boxes come and go with their lots.
    const canEdit = context.can("grower") && !inventory.boxes;
    const canCount = context.can("grower");
    return {
        title: inventory.title,
        content: [
            head(inventory.title, inventory.place ? land.title(inventory.place) : ""),
            asOf(cached.since),
            inventory.stocktake
                ? h("p", null,
                    h("a.button", { href: `#/stocktakes/${inventory.stocktake}` }, t`Count: a stocktake is open`))
                : canCount && items.length > 0 && h("div.card.block", null, start(context, inventory, stocktakes)),
            inventory.plan && plan(inventory, items),
            h("section.block", { id: "items" }, h("h2", null, counted(items.length, "item")),
                items.length > 0
                    ? h("ul.rows", { role: "list" },
                        items.map((item) => row(context, inventory, item, { land, items })))
                    : nothingYet("stored", t`Nothing is in this inventory yet.`)),
            canEdit && h("div.card.block", null, itemForm(context, inventory, land, { items })),
            canEdit && items.some(({ beacon }) => !beacon) && h("p", null,
                h("a", { href: `#/inventories/${name}/beacons` }, t`Set up beacons for these items`)),
            h("section.block", { id: "stocktakes" }, h("h2", null, t`Stocktakes`), past(stocktakes, land)),
            canEdit && h("details.fold.card.block", { id: "change-inventory" },
                h("summary", null, t`Name, place and plan of the inventory`), changeForm(context, inventory, land)),
            h("p", null, h("a", { href: "#/inventories" }, t`All inventories`)),
        ],
    };
}

/** The plan with a pin for each item; a pin leads to its item. */
function plan({ title, plan: sha }, items) {
    const placed = items.filter(({ spot }) => spot).map(({ item, title: name, spot }) =>
        ({ thing: item, title: name, spot }));
    const choose = (item) => {
        const line = document.querySelector(`[data-item="${CSS.escape(item)}"]`);
        line?.scrollIntoView({ block: "center" });
        line?.focus();
    };
    return h("section.block", { id: "plan" }, h("h2", null, t`Plan`),
        planView(sha, placed, { label: t`Plan of ${title}`, choose }),
        h("p.quiet", null, placed.length === items.length ? t`A pin leads to its item.`
            : t`${counted(placed.length, "item")} of ${items.length} have a pin: it is set in the form of an
                item.`));
}

function changeForm(context, { inventory, title, place, plan: sha }, land) {
    return form({
        name: `change-inventory ${inventory}`, submit: t`Save`,
        fields: [
            { name: "title", label: t`Name`, required: true, value: title, attributes: { maxlength: 200 } },
            { name: "place", label: t`Where its items usually are`, type: "select", value: place ?? "",
                options: [["", t`Not one place`], ...land.placeChoices] },
            new PictureField({ name: "plan", label: t`Plan: a drawing, photograph or map of the place`, value: sha }),
        ],
        send: ({ thumbnail: _small, ...values }, key) => command("PUT", `/v1/inventories/${inventory}`, values, key),
        done: (_answer, values) => {
            context.announce(t`${values.title} was saved.`);
            return context.refresh();
        },
    });
}

function row(context, inventory, item, { land, items }) {
    const words = [item.place && land.title(item.place), item.code && t`code ${item.code}`,
        item.beacon && t`beacon ${item.beacon}`, item.value && money(item.value)].filter(Boolean);
    return h("li", { "data-item": item.item, tabindex: "-1" },
        item.picture && thumbnail(item.thumbnail ?? item.picture),
        h("p", null, h("strong", null, item.title)), words.length > 0 && h("p.quiet", null, words.join(" · ")),
        context.can("grower") && !inventory.boxes && h("div.form-end", null,
            h("button.button.button-quiet", { type: "button", "aria-label": t`Change ${item.title}`,
                onclick: () => change(context, inventory, item, { land, items }) }, t`Change`),
            h("button.button.button-quiet", { type: "button", "aria-label": t`Finds of ${item.title}`,
                onclick: () => finds(item, land) }, t`Finds`),
            h("button.button.button-quiet", { type: "button", "aria-label": t`Remove ${item.title}`,
                onclick: () => remove(context, item) }, t`Remove`)));
}

function change(context, inventory, item, { land, items }) {
    const dialog = openDialog(t`Change ${item.title}`,
        itemForm(context, inventory, land, { item, items, done: () => dialog.close() }));
}

/** Shows what the stocktakes have found of an item over the years. */
async function finds({ item, title }, land) {
    const list = h("div", null, h("p.quiet", null, t`One moment …`));
    openDialog(t`Finds of ${title}`, list);
    try {
        const { items } = await get(`/v1/items/${item}/finds`);
        fill(list, items.length > 0 ? h("ul.rows", { role: "list", id: "finds" }, items.map((one) => find(one, land)))
            : h("p.quiet", null, t`It was in no stocktake yet.`));
    } catch (error) {
        fill(list, h("p.note", null, error instanceof NoResponse ? t`This needs a connection.` : error.message));
    }
}

function find({ stocktake, title, started, finished, line }, land) {
    const { state, seen, resolved } = JSON.parse(line);
    const places = seen?.places.map((place) => land.title(place)).join(" and ");
    return h("li", null, h("a", { href: `#/stocktakes/${stocktake}`,
        onclick: (event) => event.target.closest("dialog").close() }, title),
    h("p.quiet", null, when(finished ?? started, dayAndClock(finished ?? started, land.zone())),
        ` · ${stateNames[state] ?? state}`,
        seen && [t`, last seen `, when(seen.last, dayAndClock(seen.last, land.zone())), places && t` at ${places}`],
        resolved && t`, decided: ${stateNames[resolved.as]}${resolved.reason ? ` (${resolved.reason})` : ""}`));
}

function remove(context, { item, title }) {
    const dialog = openDialog(t`Remove ${title}`,
        h("p.quiet", null, t`Reports of past stocktakes stay as they were.`), form({
            name: `remove-item ${item}`, submit: t`Remove`, fields: [
                { name: "reason", label: t`Reason: sold, broken, given away`, required: true,
                    attributes: { maxlength: 500 } }],
            send: (values, key) => command("POST", `/v1/items/${item}/removals`, values, key),
            done: () => {
                dialog.close();
                context.announce(t`${title} was removed.`);
                return context.refresh();
            },
        }));
}

/** The form of a new item, or of one that is changed. */
function itemForm(context, inventory, land, { item = null, items = [], done = () => {} }) {
    const taken = new Set(items.map((one) => one.item));
    // All values of an inventory are in one currency, so that they can be added up.
    const currency = items.find(({ value }) => value)?.value.currency;
    return form({
        name: item ? `set-item ${item.item}` : "set-item", title: item ? undefined : t`Add an item`,
        submit: item ? t`Save` : t`Add item`,
        fields: [
            { name: "title", label: t`Name`, required: true, value: item?.title ?? "", attributes: { maxlength: 200 } },
            { name: "code", label: t`Code on it`, value: item?.code ?? "", hint: t`What a scanner reads, or a number.`,
                attributes: { maxlength: 200, autocomplete: "off" } },
            { name: "beacon", label: t`Beacon on it`, value: item?.beacon ?? "",
                hint: t`ibeacon:UUID:major:minor, or ble: and its address.`, attributes: { maxlength: 200 } },
            { name: "amount", label: currency ? t`Value in ${currency}` : t`Value`, type: "number",
                value: item?.value && inMajor(item.value), attributes: { min: 0, step: "any", inputmode: "decimal" } },
            ...(currency ? [] : [{ name: "unit", label: t`Currency`, type: "select", value: "EUR",
                options: currencies.map((code) => [code, code]) }]),
            new PictureField({ name: "picture", label: t`Picture`, value: item?.picture,
                thumbnail: item?.thumbnail, side: 640 }),
            { name: "place", label: t`Where it usually is`, type: "select", value: item?.place ?? "",
                options: [["", t`Where the inventory is`], ...land.placeChoices] },
            ...(inventory.plan ? [new SpotField({ name: "spot", label: t`Where it is on the plan`,
                plan: inventory.plan, value: item?.spot })] : []),
        ],
        prepare: ({ beacon, code }) => {
            code.closest(".field")?.append(scanButton(/** @type {HTMLInputElement} */ (code), context));
            beacon.closest(".field")?.append(nearestButton(/** @type {HTMLInputElement} */ (beacon), context));
        },
        send: ({ amount, unit = currency, ...values }, key) => {
            const wished = `${inventory.inventory}-${shortName(values.title)}`.slice(0, 36);
            const name = item?.item ?? freeName(wished, taken);
            const value = amount === undefined ? {} : { value: inMinor(amount, unit ?? "EUR") };
            // Without a plan the form does not show the spot: it stays.
            const spot = !inventory.plan && item?.spot ? { spot: item.spot } : {};
            return command("PUT", `/v1/items/${name}`,
                { inventory: inventory.inventory, ...value, ...spot, ...values }, key);
        },
        done: (_answer, { title }) => {
            done();
            context.announce(t`${title} was saved.`);
            return context.refresh();
        },
    });
}

function start(context, { inventory, title }, stocktakes) {
    const day = new Date().toISOString().slice(0, 10);
    const name = freeName(`${inventory.slice(0, 25)}-${day}`, new Set(stocktakes.map(({ stocktake }) => stocktake)));
    return form({
        name: "start-stocktake", title: t`Start a stocktake`, submit: t`Start`,
        lead: t`Several people can count at once, also without a network.`,
        fields: [{ name: "title", label: t`Name`, required: true, value: `${title}, ${day}`,
            attributes: { maxlength: 200 } }],
        send: (values, key) =>
            command("POST", `/v1/inventories/${inventory}/stocktakes`, { stocktake: name, ...values }, key),
        done: () => {
            location.hash = `#/stocktakes/${name}`;
        },
    });
}

function past(stocktakes, land) {
    if (stocktakes.length === 0) return nothingYet("check", t`Nothing was counted yet.`);
    const newest = [...stocktakes].sort((one, other) => Date.parse(other.started) - Date.parse(one.started));
    return h("ul.rows", { role: "list" }, newest.map(({ stocktake, title, started, finished, found, missing }) =>
        h("li", null, h("a", { href: `#/stocktakes/${stocktake}` }, title), " · ",
            when(finished ?? started, dayAndClock(finished ?? started, land.zone())),
            finished ? t` · ${found} found, ${missing} missing` : t` · open`)));
}
