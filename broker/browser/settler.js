// Runs in every document of a tab that reads pages, in a world of its own that the page cannot see,
// and tells the broker when the prose has stopped growing. It measures text outside menus, footers
// and notices. A report is one of:
//   quiet    nothing was added for a while: a short one where there is much and `load` has fired
//   idle     the page has loaded, does nothing and has next to no text
//   growing  there is text, and it has been growing for as long as anybody will wait
//   huge     there is more than will be read
// After `quiet` and `idle` it goes on watching, and reports again when something was added.
// `__PLAN__` is replaced by a SettlePlan as JSON, `__BINDING__` by the name of the report channel.
(() => {
  if (self !== top || location.href === "about:blank") return;
  const plan = __PLAN__;
  const address = location.href;

  // A page may name form fields and pictures like the members of nodes, and they come first, also
  // in this world. The prototypes' own are out of reach.
  const getter = (type, name) => {
    const { get } = Object.getOwnPropertyDescriptor(type.prototype, name);
    return (node) => get.call(node);
  };
  const method = (type, name) => {
    const call = type.prototype[name];
    return (node, ...words) => call.apply(node, words);
  };
  const typeOf = getter(Node, "nodeType"), firstOf = getter(Node, "firstChild"), nextOf = getter(Node, "nextSibling");
  const dataOf = getter(CharacterData, "data"), nameOf = getter(Element, "localName");
  const shadowOf = getter(Element, "shadowRoot"), frameOf = getter(HTMLIFrameElement, "contentDocument");
  const rootOf = getter(Document, "documentElement"), stateOf = getter(Document, "readyState");
  const markupOf = getter(Element, "outerHTML"), visible = method(Element, "checkVisibility");
  const attribute = method(Element, "getAttribute"), without = method(Element, "removeAttribute");
  const assigned = method(HTMLSlotElement, "assignedNodes"), append = method(Node, "appendChild");
  const importNode = method(Document, "importNode"), find = method(Document, "querySelector");
  const ELEMENT = 1, TEXT = 3;

  // --- how much text there is -----------------------------------------------------------------

  const FURNITURE = new Set(("aside audio button canvas dialog footer head math nav noscript object script select style svg " +
    "template textarea video").split(" "));
  const WHOLE = new Set(["html", "body", "main"]);
  const ROLES = new Set("alert alertdialog contentinfo dialog menu menubar navigation progressbar search status tooltip".split(" "));
  const NOTICE = /cookie|consent|gdpr/i;
  const LOADER = /(?:^|[\s_-])(?:skeleton|spinner|shimmer|loading|loader)(?:$|[\s_-])/i;
  const SENTENCE_CHARS = 25, DENSE_SENTENCE_CHARS = 8, DENSE = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;
  const HOW = { visibilityProperty: true };
  // Asking means that styles are computed, for which there may be no time.
  const shows = (node) => hasty || typeOf(node) !== ELEMENT || visible(node, HOW);

  let text = 0, prose = 0, nodes = 0, loader = false, nested = false, hasty = false, cost = 0;

  const skipped = (element) => {
    if (FURNITURE.has(nameOf(element))) return true;
    const role = attribute(element, "role");
    if (role !== null && ROLES.has(role)) {
      loader ||= role === "progressbar" && shows(element);
      return true;
    }
    const names = attribute(element, "class"), id = attribute(element, "id");
    if ((id !== null && NOTICE.test(id)) || (names !== null && NOTICE.test(names))) return !WHOLE.has(nameOf(element));
    loader ||= ((names !== null && LOADER.test(names)) || attribute(element, "aria-busy") === "true") && shows(element);
    return false;
  };
  const count = (data, parent) => {
    const words = data.trim(), length = words.length;
    if (length === 0) return;
    const enough = length >= SENTENCE_CHARS || (length >= DENSE_SENTENCE_CHARS && DENSE.test(words));
    if (enough && !shows(parent)) return;
    text += length;
    if (enough) prose += length;
  };
  const measure = () => {
    const began = performance.now();
    text = 0; prose = 0; nodes = 0; loader = false;
    const open = [document];
    while (open.length > 0 && nodes < plan.max_nodes) {
      const parent = open.pop();
      for (let node = firstOf(parent); node !== null; node = nextOf(node)) {
        nodes += 1;
        const type = typeOf(node);
        if (type === TEXT) count(dataOf(node), parent);
        else if (type === ELEMENT && !skipped(node)) open.push(inside(node));
      }
    }
    cost = performance.now() - began;
  };
  const watched = new WeakSet();
  const inside = (element) => {
    const own = shadowOf(element) ?? framed(element);
    if (own === null) return element;
    nested = true;
    if (!watched.has(own)) { watched.add(own); observer.observe(own, WATCHED); }
    return own;  // slotted text is not counted: such text is rarely all there is
  };
  const framed = (element) => {
    const page = element instanceof HTMLIFrameElement ? frameOf(element) : null;
    return page === null || !shows(element) ? null : page;
  };

  // --- when it has stopped growing --------------------------------------------------------------

  let best = 0, reported = -1, asked = -1, first = 0, scrolled = false, kept = null;
  let grown = performance.now(), touched = 0, loaded = Infinity, timer = 0, hurried = false;
  const NONE = 0, SOME = 1, RICH = 2;
  const level = () => {
    if (prose >= plan.rich_prose || text >= plan.rich_text) return RICH;
    return prose >= plan.some_prose || text >= plan.some_text ? SOME : NONE;
  };
  const patience = () => {
    const state = stateOf(document), much = level();
    if (much === NONE) return state === "complete" ? plan.idle_ms : 4 * plan.idle_ms;
    if (loader) return much === RICH ? plan.loader_ms : 3 * plan.loader_ms;
    if (state === "loading") return plan.stalled_ms;
    // Text that came after everything had loaded is what the page's scripts were for.
    return state === "complete" && (much === RICH || grown > loaded) ? plan.short_ms : plan.quiet_ms;
  };
  const look = () => {
    measure();
    if (text > best + Math.max(12, Math.min(best / 100, 500)) || text < best / 2) {
      best = text;
      grown = touched || performance.now();
    }
    if (first === 0 && level() !== NONE) first = performance.now();
  };
  const check = () => {
    timer = 0; hurried = false;
    // Looking takes its time on a large page, and none of it is silence.
    const now = performance.now(), before = best;
    look();
    const much = level(), wait = grown + patience() - now;
    if (nodes >= plan.max_nodes) return tell("huge");
    if ((wait > 0 || best !== before) && first !== 0 && now - first > plan.growing_ms) return tell("growing");
    if (wait <= 0 && best !== reported) {
      const kind = much === NONE ? "idle" : "quiet";
      // Silence of a page that is kept from speaking is none: what is due runs first.
      if (asked !== best) requestIdleCallback(check, { timeout: 4 * plan.quiet_ms });
      else if (!scroll(kind)) tell(kind);
      asked = best;
    }
    // A shadow root tells nobody that it was attached: pages without text are looked at again.
    if (much === NONE) later(Math.min(Math.max(wait, plan.short_ms), plan.quiet_ms * 2));
    else if (wait > 0) later(wait);
  };
  const later = (ms) => {
    clearTimeout(timer);
    timer = setTimeout(check, Math.max(ms, 4 * cost));
  };
  const WATCHED = { childList: true, subtree: true, characterData: true };
  const hurry = () => {
    if (!hurried) later(1);
    hurried = true;
  };
  const observer = new MutationObserver(() => {
    touched = performance.now();
    hurry();
  });
  observer.observe(document, WATCHED);
  method(EventTarget, "addEventListener")(document, "readystatechange", hurry);
  addEventListener("load", () => {
    loaded = performance.now();
    hurry();
  });

  // Once, and only for what is short of text: lists that fill when they are scrolled to.
  const scroll = (kind) => {
    if (scrolled || level() === RICH || stateOf(document) === "loading") return false;
    scrolled = true;
    const root = rootOf(document);
    if (root === null || root.scrollHeight <= innerHeight * 1.2) return false;
    kept = { text: best, said: read(kind) };
    scrollTo({ top: root.scrollHeight, behavior: "instant" });
    grown = performance.now() + plan.quiet_ms;
    touched = 0;
    later(plan.quiet_ms);
    return true;
  };

  // --- what there is ------------------------------------------------------------------------------

  const DROPPED = "style, svg, noscript, template, canvas, link[rel~=stylesheet], link[rel~=preload], link[rel~=modulepreload], " +
    "link[rel~=prefetch], link[rel~=preconnect], link[rel~=dns-prefetch]";
  const DATA = /json/i;
  const clean = (copy) => {
    for (const node of copy.querySelectorAll(DROPPED)) node.remove();
    for (const script of copy.querySelectorAll("script")) {
      const type = attribute(script, "type") ?? "";
      if (type === "application/ld+json" || (level() === NONE && DATA.test(type))) continue;
      if (attribute(script, "src") !== null) script.textContent = "";
      else script.remove();
    }
    for (const node of copy.querySelectorAll("[src^='data:'], [srcset], [srcdoc]")) {
      if (attribute(node, "src")?.startsWith("data:")) without(node, "src");
      without(node, "srcset");
      without(node, "srcdoc");
    }
  };
  // What is shown of a node: shadow trees with what is put into their slots, and frames that the
  // page could read itself.
  let room = 0;
  const compose = (node, into, inert) => {
    const type = typeOf(node);
    if (room-- <= 0) return;
    if (type === TEXT) return void append(into, importNode(inert, node, false));
    if (type !== ELEMENT || nameOf(node) === "template") return;
    if (node instanceof HTMLSlotElement) {
      const filled = assigned(node, { flatten: true });
      if (filled.length > 0) return filled.forEach((each) => compose(each, into, inert));
      return children(node, into, inert);
    }
    const page = framed(node);
    if (page !== null) return frame(page, into, inert);
    const copy = importNode(inert, node, false);
    append(into, copy);
    children(shadowOf(node) ?? node, copy, inert);
  };
  const children = (parent, into, inert) => {
    for (let node = firstOf(parent); node !== null && room > 0; node = nextOf(node)) compose(node, into, inert);
  };
  const frame = (page, into, inert) => {
    const body = rootOf(page) === null ? null : find(page, "body");
    if (body === null) return;
    const section = inert.createElement("section");
    append(into, section);
    children(body, section, inert);
  };
  const copied = (root) => {
    // Of a document without scripts: a copy must not wake what the page does with its elements.
    const inert = new DOMParser().parseFromString("", "text/html");
    if (nested || nodes >= plan.max_nodes) {
      try {
        room = plan.max_nodes;
        const holder = inert.createDocumentFragment();
        compose(root, holder, inert);
        return holder.firstElementChild;
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;  // too deep to go down
      }
    }
    return importNode(inert, root, true);
  };
  const bare = (url) => url.split("#", 1)[0];
  const snapshot = () => {
    const root = rootOf(document);
    if (root === null) return "";
    const copy = copied(root);
    clean(copy);
    // Links are relative to where the page says it is by now; the address is where it came from.
    if (bare(location.href) !== bare(address) && copy.querySelector("base") === null) {
      const base = copy.ownerDocument.createElement("base");
      base.setAttribute("href", location.href);
      copy.querySelector("head")?.prepend(base);
    }
    return markupOf(copy);
  };
  const read = (kind) => {
    const html = snapshot();
    const [entry] = performance.getEntriesByType("navigation");
    return JSON.stringify({
      kind, url: address, status: entry ? entry.responseStatus : 0,
      html: html.slice(0, plan.max_chars).toWellFormed(), cut: html.length > plan.max_chars || nodes >= plan.max_nodes,
      parsed: stateOf(document) !== "loading", walled: false, level: level(), content_type: document.contentType,
    });
  };
  const tell = (kind) => {
    reported = best;
    // Where scrolling has brought nothing, it may have taken something away.
    const before = kept !== null && best <= kept.text;
    if (before) scrollTo({ top: 0, behavior: "instant" });
    __BINDING__(before ? kept.said : read(kind));
    kept = null;
  };

  // The broker's own calls; `this` world is unreachable for the page.
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  self.__webaio = {
    read: (kind) => {
      hasty = true;
      measure();
      const said = read(kind);
      hasty = false;
      return said;
    },
    // What there is when nothing was added for so long; a page that is at work has its time.
    still: async (ms) => {
      for (let round = 0; round < 20; round++) {
        const before = best;
        await pause(ms);
        look();
        if (best === before) break;
      }
      reported = best;
      return read("still");
    },
  };
})();
