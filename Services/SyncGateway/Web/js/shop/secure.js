/** What browsers allow a page only over https, or on the machine itself. */

/** Whether these pages are kept, so that they open without a network. */
export const keepsPages = globalThis.isSecureContext === true && "serviceWorker" in navigator;

/** What is not possible over plain http, for the people who read the page. */
export const withoutSecurity = "This page was loaded over plain http. Browsers then do not store pages, so it does "
    + "not open without a connection, and they cannot check stories. Both work over https: ask the farm for its https "
    + "address.";
