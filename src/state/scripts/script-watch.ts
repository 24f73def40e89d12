import type { Enforcement } from "../../impact/script-enforcement.ts";
import { dayOf } from "../../syntax/written-date.ts";

/** What a check of scripts can find, the gravest first. */
export const findingKinds = [
  "malicious",
  "unauthorised",
  "changed",
  "unverified",
  "unmonitored",
  "gap",
  "gone",
  "review_overdue",
  "unjustified",
] as const;

export type FindingKind = (typeof findingKinds)[number];

/** One version of the content of a script. */
export interface SeenVersion {
  /** SHA-256 in hexadecimal digits; "" if the service has none. */
  readonly hash: string;
  readonly fetchedAt: Date | undefined;
}

/** That a person accepts a finding until a moment. */
export interface Acceptance {
  readonly until: Date;
  readonly reason: string;
  readonly by: string;
}

/** Something that is not as the authorised scripts of a zone say. */
export interface ScriptFinding {
  /** The same for the same kind and subject, also in other zones and after a restart. */
  readonly id: string;
  readonly kind: FindingKind;
  /** URL of the script, `url` of the entry, or "" for the zone as a whole; long ones are cut. */
  readonly subject: string;
  /** One sentence. */
  readonly detail: string;
  /** When a check found it first, and last. */
  readonly firstSeenAt: Date;
  readonly lastSeenAt: Date;
  /** Bounded. */
  readonly pageUrls: readonly string[];
  /** Newest first, bounded. */
  readonly versions: readonly SeenVersion[];
  /** `undefined`: open. */
  readonly acceptance: Acceptance | undefined;
}

/** A script that is in use on the declared pages. */
export interface WatchedScript extends SeenVersion {
  readonly id: string;
  /** Long ones are cut. */
  readonly url: string;
  /** Often only the first page. Bounded. */
  readonly pageUrls: readonly string[];
  readonly firstSeenAt: Date | undefined;
  readonly lastSeenAt: Date | undefined;
  /** `url` of the entry that matches it; "" for none. */
  readonly entry: string;
  /** Whether that entry is approved. */
  readonly isAuthorised: boolean;
  /** Newest first; only of a script whose content is pinned. */
  readonly versions: readonly SeenVersion[];
  readonly enforcement: readonly Enforcement[];
}

/** What is known of the scripts on the declared pages of a zone, from one check to the next. */
export interface ScriptWatch {
  /** The first check. */
  readonly since: Date;
  /** The last check with an inventory that could be read. */
  readonly readAt: Date | undefined;
  /** When the service was last asked which scripts are on the pages, for which patterns, and the answer. */
  readonly pagesAt: Date | undefined;
  readonly pages: readonly string[];
  readonly onPages: readonly string[];
  /** Identifies the set of all scripts of the zone at that moment. */
  readonly known: string;
  /** In use on the pages, bounded: those that are not authorised first. */
  readonly scripts: readonly WatchedScript[];
  /** Scripts beyond the limit. */
  readonly moreScripts: number;
  /** Open and acknowledged, the gravest first, bounded. */
  readonly findings: readonly ScriptFinding[];
  /** Findings beyond the limit. */
  readonly moreFindings: number;
  /** When a script of each entry was last seen; before that, when the entry was first checked. */
  readonly seen: ReadonlyMap<string, Date>;
  /** When a check that read the inventory was last recorded in the history. */
  readonly recordedAt: Date | undefined;
}

/** How a finding changed from one check to the next. `renewed`: its acknowledgement has another end, reason or person. */
export const findingEvents = ["opened", "acknowledged", "renewed", "reopened", "closed"] as const;

/** How a script on the pages changed from one check to the next. */
export const scriptEvents = ["appeared", "changed", "vanished"] as const;

/** What is new since the check before. */
export type ScriptEvent =
  | { readonly event: (typeof findingEvents)[number]; readonly finding: ScriptFinding }
  | { readonly event: (typeof scriptEvents)[number]; readonly script: WatchedScript };

/** The result of a check. */
export interface ScriptCheck {
  readonly watch: ScriptWatch;
  readonly events: readonly ScriptEvent[];
}

/** A check as the history keeps it: each with events, and the first one of each day (UTC) that read the inventory. */
export interface ScriptRecord {
  readonly at: Date;
  readonly zone: string;
  readonly revision: string;
  /** Git's name for the revision. */
  readonly commit: string | undefined;
  /** `undefined`: the inventory could not be read. */
  readonly read:
    | {
        /** Scripts in use on the pages, and those of them that are authorised. */
        readonly scripts: number;
        readonly authorised: number;
      }
    | undefined;
  readonly open: number;
  readonly acknowledged: number;
  readonly events: readonly ScriptEvent[];
}

/** The findings of a kind that nobody has acknowledged. */
export function openOf({ findings, moreFindings }: ScriptWatch, kind: FindingKind): number {
  const open = findings.filter((each) => each.kind === kind && each.acceptance === undefined);
  // Only scripts can be so many.
  return open.length + (kind === "unauthorised" ? moreFindings : 0);
}

/** What the history keeps of a check; `undefined`: it has nothing new, and one of this day is kept. */
export function scriptRecordOf(
  { watch, events }: ScriptCheck,
  head: Pick<ScriptRecord, "at" | "zone" | "revision" | "commit">,
): ScriptRecord | undefined {
  const { recordedAt, readAt, scripts, moreScripts, findings, moreFindings } = watch;
  const isRead = readAt !== undefined && Number(readAt) === Number(head.at);
  const isDue = recordedAt === undefined || dayOf(recordedAt) !== dayOf(head.at);
  if (events.length === 0 && !(isRead && isDue)) return undefined;
  const open = findings.filter(({ acceptance }) => acceptance === undefined).length;
  return {
    ...head,
    read: isRead
      ? {
          scripts: scripts.length + moreScripts,
          authorised: scripts.filter(({ isAuthorised }) => isAuthorised).length,
        }
      : undefined,
    open: open + moreFindings,
    acknowledged: findings.length - open,
    events,
  };
}
