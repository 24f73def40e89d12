import { readFileSync } from "node:fs";

import { isJsonObject } from "../syntax/json.ts";

export const version = readVersion();

function readVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const manifest: unknown = JSON.parse(text);
  return isJsonObject(manifest) && typeof manifest["version"] === "string"
    ? manifest["version"]
    : "";
}
