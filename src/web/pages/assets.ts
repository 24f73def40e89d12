import { shortDigest } from "../../syntax/digest.ts";
import { style } from "./style.ts";

/**
 * The script of the pages: reloads the content when the server sends an event, and every ten seconds without a
 * connection. The pages work without it, but do not refresh.
 *
 * XMLHttpRequest parses the new document, so that no text becomes markup here and the pages can require trusted types.
 */
const script = `const everyMs = 10_000;
const everyMsLive = 60_000;
let tag = null;
let refreshedAt = 0;
let isLive = false;

function refresh() {
  const isDeferred = document.hidden || busy();
  refreshedAt = isDeferred ? 0 : Date.now();
  if (isDeferred) return;
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
  return activeElement?.matches("input, select, button") || getSelection()?.type === "Range";
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

refresh();
setInterval(() => {
  if (Date.now() - refreshedAt >= (isLive ? everyMsLive : everyMs) - 500) refresh();
}, everyMs);
const events = new EventSource("/events");
events.onopen = () => { isLive = true; refresh(); };
events.onerror = () => { isLive = false; };
events.addEventListener("changed", refresh);
document.addEventListener("visibilitychange", refresh);
`;

/** A file that pages refer to. Its name contains its hash, so that it can be cached forever. */
export interface Asset {
  readonly path: string;
  readonly type: string;
  readonly text: string;
}

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#2f6feb" d="M12 1.5 3.5 4.6v6.2c0 5.4 3.5 9.7 8.5 11.7 5-2 8.5-6.3 8.5-11.7V4.6z"/><path fill="none" stroke="#fff" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round" d="m8 12 2.9 2.9L16.200 9.500"/></svg>`;

const styleAsset = asset("style", "css", "text/css; charset=utf-8", style);
const scriptAsset = asset("refresh", "js", "text/javascript; charset=utf-8", script);
const iconAsset = asset("icon", "svg", "image/svg+xml", icon);

export const assets: readonly Asset[] = [styleAsset, scriptAsset, iconAsset];

export const stylePath = styleAsset.path;
export const scriptPath = scriptAsset.path;
export const iconPath = iconAsset.path;

function asset(name: string, extension: string, type: string, text: string): Asset {
  return { path: `/assets/${name}-${shortDigest(text)}.${extension}`, type, text };
}
