/**
 * @template T
 * @param {T[]} items
 * @param {(item: T) => string} name
 * @returns {Map<string, T[]>} those of one name together, in the order in which names first appear
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
