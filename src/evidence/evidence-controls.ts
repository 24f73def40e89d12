import type { Period } from "../history/timeline.ts";
import type { FindingKind } from "../state/scripts/script-watch.ts";
import { startOf } from "../syntax/written-date.ts";
import type { AuthorisedScript } from "../zone/declared-scripts.ts";
import type { RecordedZone } from "./recorded-zone.ts";

/** A part of a requirement of PCI DSS 4.0.1, and what was recorded that bears on it. It is no verdict. */
export interface Control {
  /** `6.4.3`. */
  readonly requirement: string;
  /** The part of the requirement, in our words. */
  readonly text: string;
  /** What was recorded or declared. */
  readonly shown: readonly string[];
  /** What the pack says nothing about. */
  readonly notShown: string;
}

/** The parts of the requirements 6.4.3 and 11.6.1. */
export function controlsOf(seen: RecordedZone, { since, until }: Period): readonly Control[] {
  const { scripts, runs, drift, days, checks, longestPause: pause, pauses, findings } = seen;
  const steps = scripts.flatMap((script) => script.steps.filter(({ at }) => at >= since));
  const checked = days.filter(({ status }) => status === "checked").length;
  // The line of the acknowledgement may not be kept, and a later one tells of it.
  const acknowledged = findings.filter((finding) =>
    finding.steps.some(({ event, acceptance }) => acceptance !== undefined || event === "reopened"),
  );
  const closed = findings.filter(({ closedAt }) => closedAt !== undefined);
  return [
    {
      requirement: "6.4.3",
      text: "A method confirms that each script of a payment page is authorised.",
      shown: [
        ofEntries(seen, (entries) => {
          const approved = entries.filter(
            ({ approvedBy, approvedOn }) =>
              approvedBy !== "" && (startOf(approvedOn) ?? until) < until,
          );
          return `Authorised entries: ${entries.length}; approved before the end of the period: ${approved.length}.`;
        }),
        ...findingsText(seen, ["unauthorised", "malicious"]),
      ],
      notShown: "Scripts that no browser of a visitor has reported to the service.",
    },
    {
      requirement: "6.4.3",
      text: "A method assures the integrity of each script.",
      shown: [
        ofEntries(seen, (entries) => {
          const by = Map.groupBy(entries, (entry) => entry.integrity.by);
          const count = (name: "any" | "pinned" | "hashes"): number => by.get(name)?.length ?? 0;
          return `Entries whose content is compared with that of the approval: ${count("pinned")}; with listed hashes: ${count("hashes")}; not at all (any): ${count("any")}.`;
        }),
        ...findingsText(seen, ["changed", "unverified"]),
      ],
      notShown:
        "Changes that the service does not count, such as formatting, and the content of a script that is unverified.",
    },
    {
      requirement: "6.4.3",
      text: "An inventory of all scripts has a written business or technical justification of each.",
      shown: [
        ofEntries(seen, (entries) => {
          const without = (field: "justification" | "owner"): number =>
            entries.filter((entry) => entry[field] === "").length;
          return `Entries without a justification: ${without("justification")}; without an owner: ${without("owner")}.`;
        }),
        ...findingsText(seen, ["unjustified", "review_overdue", "gone"]),
      ],
      notShown: "Whether the justifications are true.",
    },
    {
      requirement: "11.6.1",
      text: "A mechanism detects changes of the script contents and security-relevant HTTP headers that browsers receive.",
      shown: [
        `Recorded appearances, changes and disappearances of scripts: ${steps.length}.`,
        `Recorded runs with changes of policies, settings and rules: ${runs.length}; periods of drift: ${drift.length}.`,
      ],
      notShown:
        "HTTP headers as browsers receive them: policies are compared at the service, and headers of the origin are not read.",
    },
    {
      requirement: "11.6.1",
      text: "The mechanism runs at least every seven days, or as often as a targeted risk analysis says.",
      shown: [
        `Days with a complete check: ${checked} of ${days.length}. Recorded checks: ${checks}.`,
        `Longest time without a recorded check: ${hoursText(pause)}, from ${pause.since.toISOString()} to ${pause.until.toISOString()}. Times longer than seven days: ${pauses.length}.`,
        ...findingsText(seen, ["unmonitored", "gap"]),
      ],
      notShown:
        "Checks between the recorded ones: the first of each day is recorded, and each that finds something new.",
    },
    {
      requirement: "11.6.1",
      text: "Personnel is alerted to unauthorised changes.",
      shown: [
        `Findings that were there in the period: ${findings.length}; acknowledged by a person: ${acknowledged.length}; closed: ${closed.length}.`,
      ],
      notShown: "Whether notifications were delivered and read: the history does not record it.",
    },
  ];
}

function ofEntries(
  { atEnd: { declared } }: RecordedZone,
  text: (entries: readonly AuthorisedScript[]) => string,
): string {
  const scripts = typeof declared === "string" ? undefined : declared.scripts;
  return scripts === undefined
    ? "No inventory of authorised scripts is shown."
    : text(scripts.authorised);
}

function findingsText(
  { findings }: RecordedZone,
  kinds: readonly FindingKind[],
): readonly string[] {
  return kinds.map((kind) => {
    const own = findings.filter((each) => each.kind === kind);
    const open = own.filter(({ closedAt }) => closedAt === undefined).length;
    const count =
      own.length === 0 ? "none" : `${own.length}; not closed by the end of the period: ${open}`;
    return `Findings (${kind.replaceAll("_", " ")}): ${count}.`;
  });
}

function hoursText({ since, until }: Period): string {
  return `${Math.round((Number(until) - Number(since)) / 36_000) / 100} h`;
}
