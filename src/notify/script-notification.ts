import { plural } from "../render/format.ts";
import type { ScriptCheck, ScriptFinding } from "../state/scripts/script-watch.ts";
import type { Notification } from "./notification.ts";

/** Findings that are named; of more, their number is given. */
const findingsShown = 5;

/** The notification about a check of declared scripts: its new findings, or that the last one is closed. */
export function notificationOfScripts(
  zone: string,
  { watch, events }: ScriptCheck,
  { at, revision, commit }: Pick<Notification, "at" | "revision" | "commit">,
): Notification | undefined {
  const left = new Set(watch.findings.map(({ id }) => id));
  const changed = events.flatMap((each) => ("finding" in each ? [each] : []));
  // A gap that is over is told too: nobody could tell it while it lasted.
  const fresh = changed.filter(
    ({ event, finding }) =>
      (event === "opened" || event === "reopened") &&
      (finding.acceptance === undefined || !left.has(finding.id)),
  );
  const base = { at, zone, revision, commit };
  if (fresh.length > 0) {
    const message = findingsText(fresh.map(({ finding }) => finding));
    return { ...base, reason: "ScriptFindings", severity: "error", message };
  }
  const isOpen = watch.findings.some(({ acceptance }) => acceptance === undefined);
  const opened = new Set(
    changed.flatMap((each) => (each.event === "opened" ? each.finding.id : [])),
  );
  const wasOpen = changed.some(
    ({ event, finding }) =>
      (event === "closed" || event === "acknowledged") && !opened.has(finding.id),
  );
  if (isOpen || !wasOpen) return undefined;
  const message = "the scripts on the declared pages have no open finding any more";
  return { ...base, reason: "NoScriptFindings", severity: "info", message };
}

function findingsText(findings: readonly ScriptFinding[]): string {
  const named = findings
    .slice(0, findingsShown)
    .map(({ id, detail, subject }) => `${subject === "" ? "" : `${subject}: `}${detail} (${id})`);
  const more = findings.length - named.length;
  const all = more === 0 ? named : [...named, `and ${more} more`];
  return `${plural(findings.length, "new finding")} on the scripts of declared pages: ${all.join("; ")}`;
}
