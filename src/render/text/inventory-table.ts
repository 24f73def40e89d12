import { printable } from "../../state/value.ts";
import { maliciousReasons, type Item, type ItemKind } from "../../zone/inventory-item.ts";

/** A table as people read it: heads, and cells by row. */
export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Items as a table. */
export function inventoryTable(
  kind: ItemKind,
  items: readonly Item[],
  maliciousBelow: number,
): Table {
  return {
    head: heads[kind],
    rows: items.map((item) => cellsOf(item, maliciousBelow).map(printable)),
  };
}

const heads = {
  script: ["url", "host", "status", "score", "malicious", "first seen", "last seen", "id"],
  connection: ["url", "host", "status", "malicious", "first seen", "last seen", "id"],
  cookie: ["name", "host", "domain", "path", "flags", "first seen", "last seen", "id"],
} as const;

function cellsOf(item: Item, maliciousBelow: number): readonly string[] {
  const moments = [dayOf(item.firstSeenAt), dayOf(item.lastSeenAt), item.id];
  if (item.kind === "cookie") {
    return [item.name, item.host, item.domain, item.path, flagsOf(item), ...moments];
  }
  const reasons = maliciousReasons(item, maliciousBelow).join(", ");
  const score = item.kind === "script" ? [String(item.scores.integrity ?? "–")] : [];
  return [item.url, item.host, item.status, ...score, reasons || "no", ...moments];
}

function flagsOf({ httpOnly, secure, sameSite, type }: Extract<Item, { kind: "cookie" }>): string {
  return [
    ...(httpOnly === true ? ["http-only"] : []),
    ...(secure === true ? ["secure"] : []),
    ...(sameSite === "" ? [] : [sameSite]),
    ...(type === "first_party" ? [] : [type]),
  ].join(" ");
}

/** A day and an hour are enough to read; the exact moment stands in JSON and CSV. */
function dayOf(moment: Date | undefined): string {
  return moment?.toISOString().slice(0, 16).replace("T", " ") ?? "–";
}
