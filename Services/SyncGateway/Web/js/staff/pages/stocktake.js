/** The page of a stocktake: counting, alone or with others, and the report. */
import { command, get, list, Problem } from "../../common/api.js";
import { CachedLists, readCache, writeCache } from "../../common/cache.js";
import { fill, h, when } from "../../common/dom.js";
import { action, form } from "../../common/form.js";
import { counted, dayAndClock } from "../../common/format.js";
import { icon } from "../../common/icons.js";
import { newKey } from "../../common/idempotency.js";
import { t } from "../../common/language.js";
import { head, nothingYet } from "../../common/parts.js";
import { stream } from "../../common/stream.js";
import { BeaconScan } from "../beacon-scan.js";
import { lotList, lotsOf } from "../box-count.js";
import { BoxLabels } from "../box-labels.js";
import { loadLand } from "../farm.js";
import { drop, onPendingChange, pendingEntries, submit } from "../outbox.js";
import { asOf, noSuch } from "../parts.js";
import { planView } from "../plan.js";
import { scanMany } from "../scan.js";
import { Company } from "../stocktake-company.js";
import { itemsOf, linesOf, thingNamed, thingsOf } from "../stocktake-count.js";

/** What others count arrives by the live stream; the lines are read again in case that it fails. */
const Limits = { pollMilliseconds: 60_000, rows: 200, code: 190 };

/** Returns the page. @param {import("../main.js").Context} context @param {string} name of the stocktake */
export async function show(context, name) {
    const cached = new CachedLists();
    const [land, stocktakes, inventories] = await Promise.all([
        loadLand(cached), cached.list("/v1/stocktakes"), cached.list("/v1/inventories")]);
    const stocktake = stocktakes.find((one) => one.stocktake === name);
    if (!stocktake) return noSuch(t`stocktake`, "#/inventories", t`All inventories`);
    const texts = await cached.list(`/v1/stocktakes/${name}/lines`);
    // Only the stocktake itself says how many sightings came after its end; without a network that is not shown.
    const { late = 0 } = stocktake.finished ? await get(`/v1/stocktakes/${name}`).catch(() => ({})) : {};
    const { plan, boxes } = inventories.find((one) => one.inventory === stocktake.inventory) ?? {};
    const stock = boxes ? await cached.list("/v1/stock") : [];
    const page = new StocktakePage(context, land, { ...stocktake, late, plan, boxes }, texts, stock);
    const timer = stocktake.finished ? undefined : setInterval(() => page.poll(), Limits.pollMilliseconds);
    const stop = onPendingChange(() => page.draw());
    const close = stocktake.finished ? () => {} : page.listen();
    return {
        title: stocktake.title,
        leave: () => {
            clearInterval(timer);
            close();
            page.scan.close();
            stop();
        },
        content: [
            head(stocktake.title, stocktake.finished ? t`The report of this stocktake is final.`
                : t`Count what you see: several people can count at once, also without a network.`),
            asOf(cached.since), page.element,
            stocktake.finished && h("p.block", null, h("a", { href: checkAddress(stocktake, land), target: "_blank" },
                t`Check the report by the farm’s log, and save it with its proof`), t` (opens a new tab)`),
            h("p.block", null, h("a", { href: `/v1/stocktakes/${name}/report.pdf`, download: `${name}.pdf` },
                t`The report as PDF`), " · ",
            h("a", { href: `#/inventories/${stocktake.inventory}` }, t`The inventory`)),
            context.can("grower") && mailForm(context, name),
        ],
    };
}

function checkAddress({ stocktake }, land) {
    return `/check-report?${new URLSearchParams({ stocktake, zone: land.zone() })}`;
}

function mailForm(context, stocktake) {
    return h("details.fold.card.block", { id: "mail-report" }, h("summary", null, t`Send the report by e-mail`), form({
        name: `mail-report ${stocktake}`, submit: t`Send`,
        fields: [{ name: "to", label: t`To`, type: "email", required: true, value: context.me.email }],
        send: (values, key) => command("POST", `/v1/stocktakes/${stocktake}/report-emails`, values, key),
        done: ({ accepted, reason }, { to }) => {
            if (!accepted) throw new Problem(0, { detail: t`The report was not sent: ${reason}.` });
            context.announce(t`The report was sent to ${to}.`);
            document.querySelector("#mail-report summary")?.replaceChildren(t`The report was sent to ${to}`);
        },
    }));
}

class StocktakePage {
    constructor(context, land, stocktake, texts, stock) {
        this.context = context;
        this.land = land;
        this.stocktake = stocktake;
        this.texts = texts;
        /** The things that others have counted since the lines were read. @type {string[]} */
        this.seen = [];
        /** The controls of the form that counts. @type {Record<string, any>} */
        this.controls = {};
        this.isOpen = !stocktake.finished && context.can("grower");
        this.labels = this.isOpen ? new BoxLabels() : null;
        this.summary = h("section.block", { id: "tally", role: "status" });
        this.plan = h("div");
        this.stock = new Map(stock.map((one) => [one.lot, one]));
        this.lots = h("div");
        this.company = new Company(context, land);
        /** The thing whose pin was chosen. @type {string|null} */
        this.chosen = null;
        this.lists = h("div");
        /** How many rows of each section are shown. @type {Map<string, number>} */
        this.rows = new Map();
        this.scan = new BeaconScan({
            beacons: () => this.beacons, count: (thing, key) => this.count(thing, "beacon", key),
        });
        this.element = h("div", null, this.summary, this.company.element, this.lots, this.plan,
            this.isOpen && h("div.card.block", null, this.countForm()),
            this.isOpen && this.beacons.size > 0 && h("div.card.block", null, this.scan.element),
            this.lists, this.isOpen && h("div.card.block", null, this.finishForm()));
        this.draw();
    }

    /** Shows at once what others count. @returns {() => void} ends that */
    listen() {
        const withOwn = (body) => (event) => {
            const data = JSON.parse(event.data);
            if (data.stocktake === this.stocktake.stocktake) body(data);
        };
        return stream("/v1/live?topics=stocktakes", {
            open: () => this.poll(),
            counted: withOwn(({ things, ...who }) => {
                this.company.note(who);
                return this.note(things);
            }),
            // A decision changes lines; the end replaces the page by the report.
            stocktake: withOwn(() => Promise.all([this.poll(), this.context.renew()])),
        });
    }

    /**
     * Shows what was counted. The lines are read again only for what is no item: with many people and items that is
     * work for the server.
     * @param {string[]} things
     */
    note(things) {
        this.seen.push(...things);
        this.draw();
        const names = thingsOf(this.texts);
        return things.every((thing) => names.has(thing)) ? undefined : this.poll();
    }

    get path() {
        return `/v1/stocktakes/${this.stocktake.stocktake}/lines`;
    }

    /** Reads the lines. */
    async poll() {
        if (document.hidden) return;
        this.company.draw();
        const before = this.seen.length;
        const texts = await list(this.path).catch(() => null);
        if (texts === null) return;
        this.texts = texts;
        this.seen.splice(0, before);
        this.draw();
    }

    get waiting() {
        return pendingEntries("counts").filter(({ shown }) => shown.stocktake === this.stocktake.stocktake);
    }

    /** The beacons of the items, and whether each item is found. @returns {Map<string, boolean>} */
    get beacons() {
        const items = itemsOf(this.texts).filter(({ beacon }) => beacon !== undefined);
        return new Map(items.map(({ beacon, state }) => [beacon, state !== "missing"]));
    }

    draw() {
        const { waiting } = this;
        const sent = waiting.filter(({ state }) => state !== "refused");
        const lines = linesOf(this.texts, sent.map(({ shown }) => shown.thing), this.seen);
        // An unchanged list stays, so that the focus does, too.
        const contents = JSON.stringify([lines, waiting.map(({ state }) => state), this.chosen]);
        if (contents === this.contents) return;
        this.contents = contents;
        const active = document.activeElement?.getAttribute("aria-label");
        const pin = /** @type {HTMLElement|null} */ (document.activeElement)?.dataset.pin;
        const of = (...states) => lines.filter(({ state }) => states.includes(state));
        fill(this.summary, tally(lines), waitingNote(waiting), this.finished());
        fill(this.lots, this.stocktake.boxes && lotList(this.context, this.stocktake, lotsOf(lines), this.stock));
        fill(this.plan, this.stocktake.plan && this.pins(lines));
        fill(this.lists,
            this.section("undecided", t`Unexpected, or seen at several places`, of("doubled", "unexpected")),
            this.section("missing", this.stocktake.finished ? t`Missing` : t`Not found yet`, of("missing")),
            this.section("found", t`Found`, of("found")),
            this.section("removed", t`Removed during the count`, of("removed")));
        if (pin) this.plan.querySelector(`[data-pin="${CSS.escape(pin)}"]`)?.focus();
        else if (active) this.lists.querySelector(`[aria-label="${CSS.escape(active)}"]`)?.focus();
    }

    /** The plan of the inventory; below it the item whose pin was chosen. */
    pins(lines) {
        const placed = lines.filter(({ item }) => item?.spot);
        if (placed.length === 0) return null;
        const chosen = placed.find(({ thing }) => thing === this.chosen);
        const view = planView(this.stocktake.plan,
            placed.map(({ thing, title, state, item }) => ({ thing, title, state, spot: item.spot })), {
                label: t`Plan of the inventory`, chosen: this.chosen, choose: (thing) => {
                    this.chosen = thing === this.chosen ? null : thing;
                    this.draw();
                },
            });
        return h("section.block", { id: "plan" }, h("h2", null, t`Plan`), view,
            chosen ? h("div.card", null, h("ul.rows", { role: "list" }, this.row(chosen)))
                : h("p.quiet", null, t`✓ found, ? not found yet. A pin shows its item.`));
    }

    finished() {
        const { finished, digest, late } = this.stocktake;
        return finished && [
            h("p.quiet", null, t`Finished `, when(finished, dayAndClock(finished, this.land.zone())),
                t`. SHA-256 of the report: ${digest}`),
            late > 0 && h("p.note", null, t`${counted(late, "count")} arrived after the end: recorded, but not in this
                report.`),
        ];
    }

    section(id, title, lines) {
        const shown = this.rows.get(id) ?? Limits.rows;
        return lines.length > 0 && h("section.block", { id }, h("h2", null, `${title} (${lines.length})`),
            h("ul.rows", { role: "list" }, lines.slice(0, shown).map((line) => this.row(line))),
            lines.length > shown && h("button.button.button-quiet", { type: "button", "aria-label": t`More of:
                ${title}`,
                onclick: () => this.showMore(id, shown) }, t`${lines.length - shown} more`));
    }

    showMore(id, shown) {
        this.rows.set(id, shown + Limits.rows);
        this.contents = null;
        this.draw();
    }

    row(line) {
        const { title, item, isWaiting } = line;
        return h("li", { "data-thing": line.thing },
            h("p", null, h("strong", null, title), item?.place && ` · ${this.land.title(item.place)}`,
                item?.code && ` · ${item.code}`),
            h("p.quiet", null, isWaiting ? t`Counted here, not sent yet. ` : this.sightings(item), decision(item)),
            this.isOpen && !isWaiting && h("div.form-end", null, this.buttons(line)));
    }

    sightings(item) {
        if (!item?.seen) return "";
        const { times, last, people, places } = item.seen;
        return [t`Seen ${counted(times, "time")} by ${counted(people.length, "person", "people")}, last `,
            when(last, dayAndClock(last, this.land.zone())),
            places.length > 0 && ` at ${places.map((place) => this.land.title(place)).join(" and ")}`, ". "];
    }

    buttons(line) {
        const { thing, state, isOpen, title } = line;
        const decide = (label, as) => this.button(label, title, `resolve ${thing} ${as}`, async (key) => {
            await command("POST", `/v1/stocktakes/${this.stocktake.stocktake}/resolutions`, { thing, as }, key);
            await this.poll();
        });
        if (state === "missing") {
            return [this.button(t`Found`, title, `count ${thing}`, (key) => this.count(thing, "picked", key)),
                isOpen && decide(t`It is missing`, "missing")];
        }
        if (!isOpen) return [];
        if (state === "doubled") return [decide(t`It is there`, "present"), decide(t`It is missing`, "missing")];
        return state === "unexpected" ? [decide(t`Does not belong here`, "ignored")] : [];
    }

    button(label, title, name, send) {
        const element = action({
            name: `${this.stocktake.stocktake} ${name}`, label, kind: "button-quiet", send,
            done: () => this.context.announce(`${label}: ${title}`),
        });
        element.querySelector("button")?.setAttribute("aria-label", `${label}: ${title}`);
        return element;
    }

    /** Stores a sighting on this device, and sends it. Returns the answer; null if it was not sent yet. */
    async count(thing, how, key, place = readCache("counting-place")) {
        const { stocktake } = this.stocktake;
        const sighting = { thing, at: new Date().toISOString(), how, ...(place ? { place } : {}) };
        const answer = await submit({
            key, table: "counts", path: `/v1/stocktakes/${stocktake}/sightings`, body: { sightings: [sighting] },
            shown: { stocktake, thing },
        });
        if (answer !== null) await this.note([thing]);
        return answer;
    }

    countForm() {
        return form({
            name: `count ${this.stocktake.stocktake}`, title: t`Count`, submit: t`Count`,
            fields: [
                { name: "place", label: t`Where you count`, type: "select", value: readCache("counting-place") ?? "",
                    options: [["", t`Not said`], ...this.land.placeChoices] },
                { name: "thing", label: t`Code or name`, required: true,
                    attributes: { maxlength: 190, autocomplete: "off", autocapitalize: "off", enterkeyhint: "done" } },
            ],
            send: ({ place, thing }, key) => {
                writeCache("counting-place", place ?? null);
                return this.count(thingNamed(thing, this.texts), "typed", key, place);
            },
            done: (answer, { thing }) => {
                if (answer?.isLate) {
                    this.context.announce(t`${thing}: recorded, but the stocktake is finished.`);
                    return this.context.refresh();
                }
                this.context.announce(answer === null ? t`${thing}: saved on this device.` : t`${thing}: counted.`);
                this.controls.thing.value = "";
                this.controls.thing.focus();
                return undefined;
            },
            prepare: (controls) => {
                this.controls = controls;
                controls.thing.closest(".field")?.append(h("button.button.button-quiet",
                    { type: "button", onclick: () => this.scanCodes() }, icon("camera"), t`Scan codes`));
            },
        });
    }

    /** Counts one code after the other with the camera. */
    scanCodes() {
        scanMany(t`Scan codes`, async (code, how, text) => {
            const problem = await this.labels.problemOf(text);
            if (problem !== null) return problem;
            if (code.length > Limits.code) return t`This code is too long for a thing's code.`;
            const thing = thingNamed(code, this.texts);
            const known = linesOf(this.texts, []).find((line) => line.item?.code === code || line.thing === thing);
            const answer = await this.count(thing, how, newKey(), this.controls.place.value || undefined);
            const name = known?.title ?? t`${code}, which is not in this inventory`;
            const done = `${name}: ${answer === null ? t`saved on this device` : t`counted`}.`;
            this.context.announce(done);
            return t`${done} Hold the next code into the picture.`;
        });
    }

    finishForm() {
        return form({
            name: `finish ${this.stocktake.stocktake}`, title: t`Finish the stocktake`, submit: t`Finish`,
            lead: t`The report is final then. Counts that other devices have not sent yet are not in it.`,
            fields: [{ name: "accept", label: t`Accept the differences without a decision`, type: "checkbox" }],
            send: ({ accept }, key) => command("POST", `/v1/stocktakes/${this.stocktake.stocktake}/finish`,
                { accept: Boolean(accept) }, key),
            done: () => {
                this.context.announce(t`The stocktake is finished.`);
                return this.context.refresh();
            },
        });
    }
}

function tally(lines) {
    const items = lines.filter(({ thing, state }) => thing.startsWith("item/") && state !== "removed");
    if (items.length === 0) return nothingYet("stored", t`The inventory has no items.`);
    const found = items.filter(({ state }) => state === "found" || state === "doubled").length;
    return [h("p.tally", null, h("strong", null, t`${found} of ${items.length}`), t` found`),
        h("progress", { max: items.length, value: found, "aria-label": t`${found} of ${items.length} found` })];
}

function waitingNote(waiting) {
    const refused = waiting.filter(({ state }) => state === "refused");
    const open = waiting.length - refused.length;
    return [
        open > 0 && h("p.note", null, t`${counted(open, "count")} not sent yet: saved on this device, and sent once,
            as soon as there is a connection.`),
        refused.map(({ id, shown, reason }) => h("p.note", null, t`The farm server refused ${shown.thing}: ${reason} `,
            h("button.button.button-quiet", { type: "button", onclick: () => drop(id) }, t`Dismiss`))),
    ];
}

function decision(item) {
    if (!item?.resolved) return "";
    return { present: t`Decided: it is there.`, missing: t`Decided: it is missing.`,
        ignored: t`Decided: it does not belong here.` }[item.resolved.as];
}
