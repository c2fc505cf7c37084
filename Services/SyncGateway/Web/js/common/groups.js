/**
 * Groups items by name.
 * @template T
 * @param {T[]} items
 * @param {(item: T) => string} name
 * @returns {Map<string, T[]>} the items of each name, in the order in which the names first occur
 */
export function groupBy(items, name) {
    const groups = new Map();
    for (const item of items) {
        const key = name(item);
        if (groups.has(key)) groups.get(key).push(item);
        else groups.set(key, [item]);
    }
    return groups;
}
