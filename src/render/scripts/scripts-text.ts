import type { AdoptedScripts } from "../../impact/adopt-scripts.ts";
import type {
  ScriptFinding,
  ScriptWatch,
  WatchedScript,
} from "../../state/scripts/script-watch.ts";
import type { JsonObject } from "../../syntax/json.ts";
import { plural, printable } from "../format.ts";
import type { Table } from "../inventory-formats.ts";

/** The scripts on the declared pages: seen, authorised, enforced. */
export function scriptsTable({ scripts }: ScriptWatch): Table {
  return {
    head: ["script", "last seen", "authorised", "enforced"],
    rows: scripts.map((script) => [
      printable(script.url),
      script.lastSeenAt?.toISOString().slice(0, 10) ?? "unknown",
      authorisedText(script),
      enforcedText(script),
    ]),
  };
}

function authorisedText({ isAuthorised, entry, url }: WatchedScript): string {
  if (entry === "") return "no";
  const by = entry === url ? "" : ` by ${printable(entry)}`;
  return isAuthorised ? `yes${by}` : `not approved${by}`;
}

function enforcedText({ enforcement }: WatchedScript): string {
  if (enforcement.length === 0) return "-";
  return enforcement.map(({ policy, decision }) => printable(`${policy} ${decision}`)).join(", ");
}

/** Findings, one a line: `unauthorised https://…: no entry authorises the script (id)`. */
export function findingLines(findings: readonly ScriptFinding[]): readonly string[] {
  return findings.map(({ id, kind, subject, detail, acceptance }) => {
    const what = [kind, subject].filter((text) => text !== "").join(" ");
    const accepted =
      acceptance === undefined
        ? ""
        : `, acknowledged by ${acceptance.by} until ${acceptance.until.toISOString().slice(0, 10)}`;
    return printable(`${what}: ${detail}${accepted} (${id})`);
  });
}

/** A profile with an entry for each script; a person fills what is `null`. */
export function adoptedProfile(
  name: string,
  pages: readonly string[],
  { adopted }: AdoptedScripts,
  escaped: (text: string) => string,
): JsonObject {
  return {
    profiles: {
      [name]: {
        page_shield: {
          scripts: {
            pages,
            authorised: adopted.map(({ url, hasHash }) => ({
              url: escaped(url),
              owner: null,
              justification: null,
              approved_by: null,
              approved_on: null,
              review_by: null,
              integrity: hasHash ? "pinned" : "any",
            })),
          },
        },
      },
    },
  };
}

/** What to do with an adopted profile, and what it leaves out. */
export function adoptedRemarks(
  name: string,
  zone: string,
  found: AdoptedScripts,
): readonly string[] {
  return [
    `${plural(found.adopted.length, "script")} in use on pages of ${zone}. Fill in what is null: until then, each is a warning, and not authorised.`,
    `Add ${name} to the profiles of ${zone}.`,
    ...leftOutLines(found),
  ];
}

/** The scripts that get no entry, one a line. */
export function leftOutLines({ leftOut }: AdoptedScripts): readonly string[] {
  return leftOut.map(({ url, reason }) => printable(`Left out: ${url} (${reason})`));
}
