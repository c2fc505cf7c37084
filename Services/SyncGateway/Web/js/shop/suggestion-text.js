/** The titles of shelves and the reasons of suggestions, in the language of the page. */
import { counted } from "../common/format.js";
import { t } from "../common/language.js";

const titles = {
    next: t`Your next basket`, again: t`Buy again`, together: t`Goes well with it`, popular: t`Popular`,
    discover: t`Discover`, now: t`At its best now`, place: t`Popular at your pick-up point`,
    viewed: t`You looked at these`,
};

/** @param {ShelfResponse} shelf */
export function shelfTitle({ shelf, title }) {
    return titles[shelf] ?? title;
}

/**
 * Returns why a product is suggested. The server's sentence is used for reasons that this version does not know.
 * @param {SuggestionResponse} item
 * @returns {string}
 */
export function reasonText({ because, reason, days = 0, times = 0, inOrders = 0, units = 0, of = "" }) {
    switch (because) {
    case "rhythm": return rhythm(days);
    case "bought": return times === 1 ? t`You have bought this before.`
        : times === 2 ? t`You have bought this twice.` : t`You have bought this ${times} times.`;
    case "follows": return t`People who buy ${of} often buy this, too.`;
    case "together": return t`Often in the same order as ${of}.`;
    case "popular": return inOrders === 1 ? t`Somebody ordered this in the last four weeks of orders.`
        : t`In ${inOrders} orders of the last four weeks of orders.`;
    case "new": return t`New in the shop.`;
    case "favourite": return t`Among your favourites.`;
    case "favourite-farm": return t`From a farm among your favourites.`;
    case "ending": return t`On offer for ${counted(days, "more day", "more days")}.`;
    case "few": return units === 1 ? t`Only one is left.` : t`Only ${units} are left.`;
    case "fresh": return days === 1 ? t`Harvested within the last day.`
        : t`Harvested within the last ${days} days.`;
    case "season": return times === 0 ? t`In season: ordered only at this time of the year.`
        : t`In season: ordered ${times} times as often as in the rest of the year.`;
    case "place": return t`In ${inOrders} orders at your pick-up point in the last four weeks of orders.`;
    case "viewed": return t`You looked at this.`;
    default: return reason;
    }
}

function rhythm(days) {
    if (days <= 1) return t`You buy this almost every day.`;
    if (days === 7) return t`You buy this about once a week.`;
    return days > 60 ? t`You buy this every now and then.` : t`You buy this about every ${days} days.`;
}
