import { checkScripts } from "../../src/state/scripts/check-scripts.ts";
import type { ScriptCheck, ScriptWatch } from "../../src/state/scripts/script-watch.ts";
import type { ScriptReading } from "../../src/state/scripts/watched-scripts.ts";
import type { AuthorisedScript, DeclaredScripts } from "../../src/zone/declared-scripts.ts";
import type { Script, ScriptVersion } from "../../src/zone/inventory-item.ts";
import { harmless, script } from "./inventory.ts";

/** The first day of the stories. */
export const firstDay = new Date("2026-11-02T12:00:00Z");

/** So many days after the first one. */
export function day(days: number): Date {
  return new Date(firstDay.getTime() + days * 86_400_000);
}

/** An entry that is complete and was approved the day before the first one. */
export function authorised(url: string, more: Partial<AuthorisedScript> = {}): AuthorisedScript {
  return {
    url,
    owner: "payments team",
    justification: "card fields",
    approvedBy: "Alex Doe",
    approvedOn: "2026-11-01",
    reviewBy: "2027-11-01",
    integrity: { by: "any" },
    ...more,
  };
}

/** The script of a payment provider. */
export const pay = "https://pay.example.net/v3/pay.js";

/** An entry for {@link pay} whose content must stay as it was. */
export const pinned: AuthorisedScript = authorised(pay, { integrity: { by: "pinned" } });

/** A script that was seen on the first day. */
export function here(url: string, more: Partial<Script> = {}): Script {
  return script(url, { lastSeenAt: firstDay, ...more });
}

export function declaredScripts(
  entries: readonly AuthorisedScript[],
  more: Partial<DeclaredScripts> = {},
): DeclaredScripts {
  return {
    pages: ["shop.example.com/checkout/*"],
    authorised: entries,
    acknowledged: [],
    goneAfterDays: 30,
    ...more,
  };
}

/** What was read: all scripts are on the pages, and monitoring is on. */
export function readingOf(
  scripts: readonly Script[],
  more: Partial<ScriptReading> = {},
): ScriptReading {
  return {
    scripts,
    onPages: new Set(scripts.map(({ id }) => id)),
    details: new Map(scripts.map((each) => [each.id, each])),
    isMonitored: true,
    enforcementOf: () => [],
    ...more,
  };
}

export function check(
  declared: DeclaredScripts,
  reading: ScriptReading | undefined,
  now: Date,
  earlier?: ScriptWatch,
): ScriptCheck {
  return checkScripts({ declared, reading, earlier, now, maliciousBelow: 50 });
}

/** The findings in words: `unauthorised https://a.example/a.js`; acknowledged ones in brackets. */
export function findingsIn({ watch }: ScriptCheck): readonly string[] {
  return watch.findings.map(({ kind, subject, acceptance }) => {
    const text = `${kind} ${subject}`.trim();
    return acceptance === undefined ? text : `(${text})`;
  });
}

/** The events in words: `opened gap`, `appeared https://a.example/a.js`. */
export function eventsIn({ events }: ScriptCheck): readonly string[] {
  return events.map((each) =>
    "finding" in each
      ? `${each.event} ${each.finding.kind} ${each.finding.subject}`.trim()
      : `${each.event} ${each.script.url}`,
  );
}

export const hashA: string = "a".repeat(64);
export const hashB: string = "b".repeat(64);
export const hashC: string = "c".repeat(64);

/** A version of the content of a script, so many days after the first one. */
export function version(hash: string, days: number): ScriptVersion {
  return { hash, scores: harmless, fetchedAt: day(days) };
}

/** A script whose content had these versions, the oldest first. */
export function withVersions(url: string, ...versions: readonly ScriptVersion[]): Script {
  const last = versions.at(-1) ?? version("", 0);
  return script(url, {
    ...last,
    versions,
    firstSeenAt: versions[0]?.fetchedAt,
    lastSeenAt: firstDay,
  });
}
