import { createHash } from "node:crypto";

import { style } from "./style.ts";

/**
 * The one script of the pages: looks whether the page has changed whenever the server says that something has, and
 * every ten seconds where it cannot say so, and puts the new content in the place of the old one. Without it the pages work as well, they only stand still.
 *
 * The new document comes parsed from XMLHttpRequest, so that no text is ever turned into markup here and the
 * pages can demand trusted types.
 */
const script = `const everyMs = 10_000;
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

/** A file that pages refer to. Its name carries its hash, so that it may be kept for ever. */
export interface Asset {
  readonly path: string;
  readonly type: string;
  readonly text: string;
}

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#2f6feb" d="M12 1.5 3.5 4.6v6.2c0 5.4 3.5 9.7 8.5 11.7 5-2 8.5-6.3 8.5-11.7V4.6z"/><path fill="none" stroke="#fff" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round" d="m8 12 2.9 2.9L16.200 9.500"/></svg>`;

const styleAsset = asset("style", "css", "text/css; charset=utf-8", style);
const scriptAsset = asset("refresh", "js", "text/javascript; charset=utf-8", script);
const iconAsset = asset("icon", "svg", "image/svg+xml", icon);

/** Everything that pages refer to. */
export const assets: readonly Asset[] = [styleAsset, scriptAsset, iconAsset];

export const stylePath = styleAsset.path;
export const scriptPath = scriptAsset.path;
export const iconPath = iconAsset.path;

function asset(name: string, extension: string, type: string, text: string): Asset {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 12);
  return { path: `/assets/${name}-${hash}.${extension}`, type, text };
}
