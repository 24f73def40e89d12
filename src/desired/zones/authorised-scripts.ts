import { canonicalUrlPattern, coversUrls, matchesForeignHosts } from "../../syntax/url-pattern.ts";
import { endOf, startOf } from "../../syntax/written-date.ts";
import type {
  AcknowledgedFinding,
  AuthorisedScript,
  DeclaredScripts,
  ScriptIntegrity,
} from "../../zone/declared-scripts.ts";
import { type Converted, missing, noDate, type UnplacedDiagnostic } from "../diagnostics.ts";
import type { Path } from "../location.ts";
import type { Merged } from "./merged-values.ts";
import type {
  YamlAcknowledgedFinding,
  YamlAuthorisedScript,
  YamlScripts,
  YamlSettings,
} from "./zone-file.ts";
import { findingList, scriptList } from "./zone-lists.ts";

const root: Path = ["page_shield", "scripts"];

/** The scripts that a zone declares; no value if there is an error. */
export function scriptsOf(
  {
    pages,
    authorised = [],
    acknowledged = [],
    gone_after_days: goneAfterDays = 30,
  }: Merged<YamlScripts>,
  settings: Merged<YamlSettings> | undefined,
): Converted<DeclaredScripts | undefined> {
  const scripts = authorised.map((each) => scriptOf(each, [...scriptList, each.url]));
  const findings = acknowledged.map((each) => findingOf(each, [...findingList, each.id]));
  const diagnostics = [
    ...(pages === undefined
      ? [missing(root, '"pages"', "write the pages, like [shop.example.com/checkout/*]")]
      : []),
    ...monitoring(settings),
    ...[...scripts, ...findings].flatMap((each) => each.diagnostics),
    ...repetitions(scripts.map(({ value }) => value)),
  ];
  const known = findings.flatMap(({ value }) => value ?? []);
  const isWhole = known.length === findings.length;
  if (pages === undefined || !isWhole) return { value: undefined, diagnostics };
  return {
    value: {
      pages: pages.map(wholePage),
      authorised: scripts.map(({ value }) => value),
      acknowledged: known,
      goneAfterDays,
    },
    diagnostics,
  };
}

/** The page of a host without a path is `/`. */
function wholePage(pattern: string): string {
  return pattern.includes("/") || pattern.endsWith("*") ? pattern : `${pattern}/`;
}

/** Scripts of a zone whose monitoring is off are never seen. */
function monitoring(settings: Merged<YamlSettings> | undefined): readonly UnplacedDiagnostic[] {
  if (settings?.enabled === true) return [];
  const remedy = "declare page_shield.settings.enabled: true";
  if (settings?.enabled === undefined) {
    const message = "scripts are declared, and nothing keeps their monitoring switched on";
    return [{ code: "SCRIPTS_UNMONITORED", path: root, atKey: true, message, remedy }];
  }
  const message = "scripts are declared, and their monitoring is declared off";
  const path = ["page_shield", "settings", "enabled"];
  return [{ code: "CONTRADICTION", path, atKey: true, message, remedy }];
}

const toFill = [
  ["owner", "write who is responsible for it"],
  ["justification", "write why the pages need it"],
  ["approved_by", "write who approved it"],
  ["approved_on", "write the date of the approval, like 2026-11-02"],
  ["review_by", "write the date by which it is reviewed again, like 2027-11-02"],
] as const;

function scriptOf(script: Merged<YamlAuthorisedScript>, path: Path): Converted<AuthorisedScript> {
  const text = (key: (typeof toFill)[number][0]): string => script[key]?.trim() ?? "";
  return {
    value: {
      url: script.url,
      owner: text("owner"),
      justification: text("justification"),
      approvedBy: text("approved_by"),
      approvedOn: text("approved_on"),
      reviewBy: text("review_by"),
      integrity: integrityOf(script.integrity),
    },
    diagnostics: [
      ...foreignHosts(script.url, path),
      ...toFill
        .filter(([key]) => text(key) === "")
        .map(([key, remedy]) => incomplete(script.url, key, [...path, key], remedy)),
      ...dates(script, path),
    ],
  };
}

function foreignHosts(url: string, path: Path): readonly UnplacedDiagnostic[] {
  if (!matchesForeignHosts(url)) return [];
  return [
    {
      code: "SCRIPT_COVERS_ALL",
      path: [...path, "url"],
      message: `"${url}" matches scripts on hosts that anybody can have`,
      remedy: "end the host with a domain of the provider, like https://*.example.net/v3/*",
    },
  ];
}

function incomplete(url: string, key: string, path: Path, remedy: string): UnplacedDiagnostic {
  const message = `"${key}" of the authorised script ${url} is missing`;
  return { code: "SCRIPT_INCOMPLETE", path, atKey: true, message, remedy };
}

function dates(
  { approved_on: approvedOn, review_by: reviewBy }: Merged<YamlAuthorisedScript>,
  path: Path,
): readonly UnplacedDiagnostic[] {
  const written = { approved_on: approvedOn ?? "", review_by: reviewBy ?? "" };
  const wrong = Object.entries(written).filter(([, text]) => text !== "" && !endOf(text));
  if (wrong.length > 0) return wrong.map(([key, text]) => noDate(text, [...path, key]));
  const [approved, review] = [endOf(written.approved_on), endOf(written.review_by)];
  if (approved === undefined || review === undefined || review > approved) return [];
  const message = `the review ("${written.review_by}") is not after the approval ("${written.approved_on}")`;
  const remedy = "write a later date";
  return [{ code: "CONTRADICTION", path: [...path, "review_by"], message, remedy }];
}

function integrityOf(written: Merged<YamlAuthorisedScript>["integrity"] = "any"): ScriptIntegrity {
  if (typeof written !== "object") return { by: written };
  return { by: "hashes", hashes: [...new Set(written.hashes.map(hexadecimal))].toSorted() };
}

/** A SHA-256 as the inventory shows it, from that form or the form of policies (SERVICE.md A.4). */
function hexadecimal(hash: string): string {
  const base64 = /sha256-([^']+)/.exec(hash)?.[1];
  return base64 === undefined ? hash.toLowerCase() : Buffer.from(base64, "base64").toString("hex");
}

/**
 * A later entry that an earlier or wider one makes needless: two that are equal, or one inside the
 * other.
 */
function repetitions(scripts: readonly AuthorisedScript[]): readonly UnplacedDiagnostic[] {
  const plain = new Map<string, AuthorisedScript>();
  const patterns = scripts.filter(({ url }) => url.includes("*")).slice(0, maxPatterns);
  return scripts.flatMap((script): readonly UnplacedDiagnostic[] => {
    const path = [...scriptList, script.url];
    const same = canonicalUrlPattern(script.url);
    const twin = plain.get(same);
    plain.set(same, script);
    // The same text twice is reported with its file.
    if (twin?.url === script.url) return [];
    if (twin !== undefined) {
      const message = `"${script.url}" and "${twin.url}" are the same URLs`;
      return [{ code: "KEY_TWICE", path, message, remedy: "merge the two entries" }];
    }
    const wider = patterns.find(
      (other) =>
        other !== script &&
        other.integrity.by === script.integrity.by &&
        script.integrity.by !== "hashes" &&
        coversUrls(other.url, script.url),
    );
    if (wider === undefined) return [];
    const message = `"${wider.url}" with the same integrity covers "${script.url}"`;
    const remedy = "remove one of the two, or make their integrity different";
    return [{ code: "SCRIPT_REPEATED", path, message, remedy }];
  });
}

/** Patterns that each entry is compared with; the time for more would not be worth it. */
const maxPatterns = 100;

function findingOf(
  { id, until = "", reason = "", by = "" }: Merged<YamlAcknowledgedFinding>,
  path: Path,
): Converted<AcknowledgedFinding | undefined> {
  const texts = { until, reason: reason.trim(), by: by.trim() };
  const diagnostics = Object.entries(texts)
    .filter(([, text]) => text === "")
    .map(([key]) => missing(path, `"${key}" of an acknowledged finding`, "add it"));
  const moment = startOf(until);
  if (until !== "" && moment === undefined) {
    diagnostics.push(noDate(until, [...path, "until"]));
  }
  if (moment === undefined || diagnostics.length > 0) return { value: undefined, diagnostics };
  return { value: { id, until: moment, reason: texts.reason, by: texts.by }, diagnostics };
}
