import { createHash } from "node:crypto";

import { canonicalJson } from "../../syntax/json.ts";
import type { Plan } from "../plan.ts";

/** Names a plan by what it would write, in 12 hexadecimal digits: the same zone and the same requests, the same hash. */
export function planHash({ zone, writes }: Plan): string {
  const facts = canonicalJson([zone.id, writes.map((write) => ({ ...write }))]);
  return createHash("sha256").update(facts).digest("hex").slice(0, 12);
}

/** Whether a text has the form of a plan's hash. */
export function isHash(text: string): boolean {
  return /^[0-9a-f]{12}$/.test(text);
}
