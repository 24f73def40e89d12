import { createHash } from "node:crypto";

import { canonicalJson, type JsonObject } from "../../src/syntax/json.ts";

/** A plan file of any content, with a hash that fits: somebody who may write the file can compute it. */
export function planFileOf(content: JsonObject): string {
  const hash = createHash("sha256").update(canonicalJson(content)).digest("hex");
  return canonicalJson({ ...content, hash });
}
