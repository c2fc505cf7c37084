/** What browsers allow a page only over https, or on the machine itself. */

/** Whether these pages are kept, so that they open without a network. */
export const keepsPages = globalThis.isSecureContext === true && "serviceWorker" in navigator;

/** What is not possible over plain http, for the people who read the page. */
export const withoutSecurity = "This page came over plain http. Browsers then keep no pages, so it does not open "
    + "without a network, and they cannot check stories. Over https both work: ask the farm for its https address.";
