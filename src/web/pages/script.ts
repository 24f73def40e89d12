/**
 * The one script of the pages: looks whether the page has changed whenever the server says that something has, and
 * every ten seconds where it cannot say so, and puts the new content in the place of the old one. Without it the pages work as well, they only stand still.
 *
 * The new document comes parsed from XMLHttpRequest, so that no text is ever turned into markup here and the
 * pages can demand trusted types.
 */
export const script = `const everyMs = 10_000;
const everyMsLive = 60_000;
let tag = null;
let lookedAt = 0;
let isLive = false;

function look() {
  const mustWait = document.hidden || busy();
  lookedAt = mustWait ? 0 : Date.now();
  if (mustWait) return;
  const request = new XMLHttpRequest();
  request.open("GET", location.href);
  request.setRequestHeader("cache-control", "no-cache");
  request.responseType = "document";
  request.onload = () => {
    const next = request.getResponseHeader("etag");
    const known = tag;
    tag = next;
    if (request.status !== 200 || request.response === null || next === known) return;
    if (known !== null || isOther(request.response)) show(request.response);
  };
  request.send();
}

function busy() {
  const { activeElement } = document;
  return activeElement?.matches("input, button") || getSelection()?.type === "Range";
}

function isOther(fresh) {
  return fresh.querySelector("main")?.innerHTML !== document.querySelector("main")?.innerHTML;
}

function show(fresh) {
  for (const details of fresh.querySelectorAll("details[id]")) {
    const shown = document.getElementById(details.id);
    if (shown) details.open = shown.open;
  }
  const focus = document.activeElement?.getAttribute("href");
  for (const selector of ["header.bar", "main", "footer.foot"]) {
    const part = fresh.querySelector(selector);
    if (part) document.querySelector(selector)?.replaceWith(document.adoptNode(part));
  }
  if (focus) document.querySelector(\`a[href="\${CSS.escape(focus)}"]\`)?.focus({ preventScroll: true });
}

look();
setInterval(() => {
  if (Date.now() - lookedAt >= (isLive ? everyMsLive : everyMs) - 500) look();
}, everyMs);
const events = new EventSource("/events");
events.onopen = () => { isLive = true; look(); };
events.onerror = () => { isLive = false; };
events.addEventListener("changed", look);
document.addEventListener("visibilitychange", look);
`;
