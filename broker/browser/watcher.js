// Runs in every document of a watched tab, in a world of its own that the page cannot see, and
// tells the broker what there is to read. It waits for states, never for time:
//   early   the part of the page that follows the results has been parsed, or a wall has
//   parsed  the whole document has been parsed
//   changed scripts have put results where there were none, or revealed a wall
// `__PLAN__` is replaced by a WatchPlan as JSON, `__BINDING__` by the name of the report channel.
(() => {
  if (self !== top) return;
  const plan = __PLAN__;
  const QUIET_MS = 40, QUIET_CAP_MS = 300, WHOLE_PAGE_CHARS = 2000000;
  const has = (selector) => selector !== "" && document.querySelector(selector) !== null;
  const walled = () => {
    const node = plan.wall === "" ? null : document.querySelector(plan.wall);
    return node !== null && node.getClientRects().length > 0;
  };

  const reduce = (root) => {
    const copy = root.cloneNode(true);
    for (const node of copy.querySelectorAll("style, svg, link, template, iframe, video, canvas")) node.remove();
    for (const script of copy.querySelectorAll("script")) {
      if (plan.scripts === "" || !script.textContent.includes(plan.scripts)) script.remove();
    }
    for (const node of copy.querySelectorAll("[src^='data:']")) node.removeAttribute("src");
    return copy.outerHTML;
  };
  const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
  const snapshot = () => {
    if (document.documentElement === null) return "";
    const html = reduce(document.documentElement);
    if (html.length <= WHOLE_PAGE_CHARS || plan.essence === "") return html;
    const parts = [...document.querySelectorAll(plan.essence)].map(reduce);
    return `<html><head><title>${escaped(document.title)}</title></head><body>${parts.join("\n")}</body></html>`;
  };
  const status = () => {
    const [entry] = performance.getEntriesByType("navigation");
    return entry ? entry.responseStatus : 0;
  };
  // A script may leave half a surrogate pair in the page, which is no text that can be sent on.
  const read = (kind) => JSON.stringify({
    kind, url: location.href, status: status(), html: snapshot().toWellFormed(),
    parsed: document.readyState !== "loading", walled: walled(),
  });

  let reported = false;
  const report = (kind) => { reported = true; __BINDING__(read(kind)); };

  let quiet = 0, cap = 0;
  const whenQuiet = () => {
    clearTimeout(quiet);
    cap = cap || performance.now() + QUIET_CAP_MS;
    quiet = setTimeout(() => { observer.disconnect(); report("changed"); },
                       Math.max(0, Math.min(QUIET_MS, cap - performance.now())));
  };
  const observer = new MutationObserver(() => {
    if (document.readyState === "loading") {
      if (!reported && (walled() || (has(plan.end) && has(plan.ready)))) report("early");
    } else if (walled() || has(plan.ready)) whenQuiet();
  });
  observer.observe(document, { childList: true, subtree: true, attributeFilter: ["class", "style", "hidden"] });

  document.addEventListener("DOMContentLoaded", () => {
    if (!reported || has(plan.again)) report("parsed");
    if (walled() || has(plan.ready)) observer.disconnect();
  });

  // The broker's own calls; `this` world is unreachable for the page.
  self.__webaio = { read, press: (selectors) => {
    for (const selector of selectors) {
      const node = document.querySelector(selector);
      if (node === null) continue;
      if (node instanceof HTMLFormElement) node.requestSubmit(); else node.click();
      return selector;
    }
    return "";
  } };
})();
