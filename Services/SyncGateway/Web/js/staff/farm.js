/** The farms, plots and stores with their titles and time zones, for many of the staff's pages. */
import { list } from "../common/api.js";

/**
 * Loads farms, plots and stores.
 * @param {{list: (path: string) => Promise<any[]>}} [from] the source of the lists: the API, or `CachedLists`
 * @returns {Promise<Land>}
 */
export async function loadLand(from = { list }) {
    const paths = ["/v1/farms", "/v1/plots", "/v1/stores"];
    const [farms, plots, stores] = await Promise.all(paths.map((path) => from.list(path)));
    return new Land(farms, plots, stores);
}

/** Sorts Plot 2 before Plot 10. */
const collator = new Intl.Collator("en", { numeric: true });

/** Farms, plots and stores by id. */
export class Land {
    constructor(farms, plots, stores) {
        const byTitle = (left, right) => collator.compare(left.title, right.title);
        this.farms = farms;
        this.plots = [...plots].sort(byTitle);
        this.stores = [...stores].sort(byTitle);
        this.places = new Map([
            ...this.plots.map((plot) => /** @type {[string, any]} */ ([`plot/${plot.plot}`, plot])),
            ...this.stores.map((store) => /** @type {[string, any]} */ ([`store/${store.store}`, store])),
        ]);
    }

    /** @param {string} place `plot/…` or `store/…` @returns {string} its title */
    title(place) {
        return this.places.get(place)?.title ?? place;
    }

    /** @param {string} [farm] @returns {string} its IANA time zone; that of the first farm if none is given */
    zone(farm) {
        const found = this.farms.find((one) => one.farm === farm) ?? this.farms[0];
        return found?.zone ?? "UTC";
    }

    /** @param {string} place @returns {string} the IANA time zone of its farm */
    zoneOf(place) {
        return this.zone(this.places.get(place)?.farm);
    }

    /** @returns {[string, string][]} options of a select */
    get placeChoices() {
        return [...this.places].map(([name, { title }]) => [name, title]);
    }

    /** @returns {[string, string][]} */
    get farmChoices() {
        return this.farms.map(({ farm, title }) => [farm, title]);
    }
}
