import { createHash } from "node:crypto";

import { script } from "./script.ts";
import { style } from "./style.ts";

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
