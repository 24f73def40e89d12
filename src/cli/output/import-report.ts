import type { LeftOut } from "../../plan/import/candidate.ts";
import { plural } from "../../render/format.ts";
import type { Kind } from "../../zone/resource.ts";

/** A zone with what its file omits, or with the reason why there is no file for it. */
export type ImportGap =
  | { readonly zone: string; readonly leftOut: readonly LeftOut[] }
  | { readonly zone: string; readonly failure: string };

/** Lines that are printed one by one; above, lines of the same reason become one line. */
const mostLines = 20;

/** What could not be read, and what a zone file cannot declare; "" if nothing is missing. */
export function gapsText(gaps: readonly ImportGap[]): string {
  const lines = gaps.flatMap(linesOf);
  if (lines.length <= mostLines) {
    return lines.map(({ zone, what, why }) => `${zone}: ${what} ${why}\n`).join("");
  }
  const groups = [...Map.groupBy(lines, ({ kind, why }) => `${kind} ${why}`).values()]
    .toSorted((a, b) => b.length - a.length)
    .map((group) => groupText(group));
  return [
    ...groups.slice(0, mostLines),
    ...(groups.length > mostLines ? [`and ${groups.length - mostLines} more reasons\n`] : []),
    "To see each of them, import one zone: zonewarden import ZONE\n",
  ].join("");
}

interface GapLine {
  readonly zone: string;
  readonly kind: Kind | "zone";
  /** The resource in words. */
  readonly what: string;
  readonly why: string;
}

function linesOf(gap: ImportGap): readonly GapLine[] {
  const { zone } = gap;
  if ("failure" in gap) return [{ zone, kind: "zone", what: "not imported:", why: gap.failure }];
  return gap.leftOut
    .filter(({ isFollowUp = false }) => !isFollowUp)
    .map(({ kind, id, title, reason: why }) => {
      const label = title === "" ? id : `${JSON.stringify(title)} (${id})`;
      return { zone, kind, what: `${kind} ${label}`, why };
    });
}

function groupText(group: readonly GapLine[]): string {
  const zones = new Set(group.map(({ zone }) => zone));
  const [{ kind, why, zone } = { kind: "zone", why: "", zone: "" }] = group;
  const where = zones.size === 1 ? zone : `${zone} and ${zones.size - 1} more`;
  if (kind === "zone") return `${plural(zones.size, "zone")} not imported: ${why} (${where})\n`;
  return `${plural(group.length, kind)} left out: ${why} (${where})\n`;
}

/** The files that were written, one by one where they are few. */
export function writtenFilesText(files: readonly string[], directory: string): string {
  if (files.length > mostLines) return `wrote ${files.length} zone files into ${directory}\n`;
  return files.map((file) => `${file}\n`).join("");
}
