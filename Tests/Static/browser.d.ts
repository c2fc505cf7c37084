// What the pages use of browsers that TypeScript 4.8 does not know, and what the page's own modules add.

/** The element that `h("button.small", …)` makes. */
type ElementNamed<Name extends string> = Name extends `${infer Tag}.${string}`
    ? ElementNamed<Tag>
    : Name extends keyof HTMLElementTagNameMap
      ? HTMLElementTagNameMap[Name]
      : HTMLElement;

/** Every page consists of HTML elements, drawings apart. */
interface ParentNode {
    querySelector<Name extends keyof HTMLElementTagNameMap>(selectors: Name): HTMLElementTagNameMap[Name] | null;
    querySelector(selectors: string): HTMLElement | null;
    querySelectorAll<Name extends keyof HTMLElementTagNameMap>(
        selectors: Name
    ): NodeListOf<HTMLElementTagNameMap[Name]>;
    querySelectorAll(selectors: string): NodeListOf<HTMLElement>;
}

interface MapConstructor {
    /** ES2024. */
    groupBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item, index: number) => Key): Map<Key, Item[]>;
}

interface URLSearchParams {
    readonly size: number;
}

declare namespace Intl {
    function supportedValuesOf(key: "timeZone" | "currency" | "unit"): string[];
}

/** dygraphs, which a page loads when it first draws a chart. */
declare var Dygraph: any;

/** `AbortSignal.timeout`: the class is declared without a name, so only what all classes have can be added to. */
interface NewableFunction {
    timeout(milliseconds: number): AbortSignal;
}
