/** The page of a store: what is wrong there now, its measurements, its lots, and who was notified. */
import { list } from "../../common/api.js";
import { h } from "../../common/dom.js";
import { weight } from "../../common/format.js";
import { t } from "../../common/language.js";
import { head, nothingYet } from "../../common/parts.js";
import { AlarmBoard } from "../alarm-board.js";
import { countBoxes } from "../box-count.js";
import { loadLand } from "../farm.js";
import { listen } from "../live.js";
import { notificationList } from "../notifications.js";
import { noSuch } from "../parts.js";
import { photographs } from "../photographs.js";
import { loadReporting, pollReporting } from "../reporting.js";
import { placeClimate } from "./place-climate.js";

/** Notifications that the page lists; the page Alarms has all. */
const shownNotifications = 5;

/** Returns the page. @param {import("../main.js").Context} context @param {string} store */
export async function show(context, store) {
    const place = `store/${store}`;
    const isAdministrator = context.can("administrator");
    const [land, lots, alarms, points, reporting, sent, accounts, inventories, stocktakes] = await Promise.all([
        loadLand(), list("/v1/lots"), list("/v1/alarms"), list("/v1/points"), loadReporting(),
        list("/v1/notifications"), isAdministrator ? list("/v1/accounts") : [], list("/v1/inventories"),
        list("/v1/stocktakes")]);
    const row = land.places.get(place);
    if (!row) return noSuch(t`store`, "#/stores", t`All stores`);
    const here = lots.filter((lot) => lot.place === place);
    const board = new AlarmBoard(context, land, alarms, points, reporting, { title: t`Now`, place });
    return {
        title: row.title, leave: follow(board),
        content: [
            head(row.title, row.cold ? t`Cold store` : t`Not cooled`),
            board.element,
            await placeClimate(place, row, land.zone(row.farm)),
            h("section.block", null, h("h2", null, t`Lots stored here`), here.length === 0
                ? nothingYet("packed", t`No lots are stored here.`, h("a", { href: "#/lots" }, t`All lots`))
                : h("ul.rows", { role: "list" }, here.map((lot) => h("li", null,
                    h("a", { href: `#/lots/${lot.lot}` }, `${lot.product}, ${lot.lot}`), ` ${weight(lot.grams)}`))),
                context.can("grower") && here.some(({ boxes }) => boxes > 0)
                    && countBoxes(row, inventories, stocktakes)),
            photographs(context, place, land.zone(row.farm)),
            notified(sent.filter((one) => one.place === place), namesOf(context, accounts), land),
        ],
    };
}

/** Keeps the alarms current. @param {AlarmBoard} board @returns {() => void} ends that */
function follow(board) {
    const stop = listen({
        state: (isOn) => { if (isOn) board.catchUp(); },
        reading: () => {},
        alarm: (alarm) => board.apply(alarm),
        acknowledged: (taken) => board.acknowledge(taken),
        shelved: (shelving) => board.shelve(shelving),
    });
    const stopPolling = pollReporting((newer) => board.report(newer));
    return () => {
        stop();
        stopPolling();
    };
}

function notified(sent, names, land) {
    return h("section.block", { id: "notifications" }, h("h2", null, t`Who was notified`),
        notificationList(sent.slice(0, shownNotifications), names, land),
        h("p", null, h("a", { href: "#/alarms" }, t`All alarms and notifications`)));
}

function namesOf(context, accounts) {
    const names = new Map(accounts.map(({ person, name }) => [person, name]));
    if (accounts.length === 0) names.set(context.me.person, "You");
    return names;
}
