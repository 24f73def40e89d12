import type { AffectedResource, PolicyImpact } from "../impact/csp-impact.ts";
import type { ManagedException } from "../impact/managed-exceptions.ts";
import { levelOf, type RetunedRule, type EffectiveRule } from "../impact/ruleset-impact.ts";
import type { DeploymentImpact, ZoneImpact } from "../impact/zone-impact.ts";
import { forceOf } from "../plan/policies/policy-force.ts";
import { kindWords } from "../zone/resource.ts";
import type { RulesetRule } from "../zone/ruleset.ts";
import { type Paint, paintOf, plural, printable } from "./format.ts";

/** Items that are listed; the rest is counted. JSON has them all. */
const maxListed = 10;

/** The impact of plans on detected resources and managed rules, as text. */
export function renderImpacts(
  impacts: readonly ZoneImpact[],
  options: { readonly color: boolean },
): string {
  const paint = paintOf(options.color);
  const blocks = impacts.flatMap((impact) => {
    const lines = zoneLines(impact, paint);
    return lines.length === 0
      ? []
      : [[paint("bold", `Impact on ${impact.zone}`), ...lines].join("\n")];
  });
  if (blocks.length === 0) return "Impact: none.";
  const caution =
    "Detection is sampled: pages may load more than was detected. If several policies apply to a page, the browser enforces all of them.";
  return [...blocks, paint("dim", caution)].join("\n\n");
}

function zoneLines(impact: ZoneImpact, paint: Paint): readonly string[] {
  const { policies, deployments, notes } = impact;
  return [
    ...policies.flatMap((each) => policyLines(each, paint)),
    ...deployments.flatMap((each) => deploymentLines(each, paint)),
    ...exceptionLines(impact, paint),
    ...notes.map((note) => paint("dim", `  note: ${printable(note)}`)),
  ];
}

const forces = {
  blocks: { of: "blocks what it does not allow", verb: "blocks" },
  reports: { of: "reports what it does not allow", verb: "reports" },
  none: { of: "blocks and reports nothing", verb: "blocks" },
  unknown: { of: "may block: its action is not known", verb: "blocks" },
} as const;

function policyLines(impact: PolicyImpact, paint: Paint): readonly string[] {
  const { policy, force, seen, unseen, blocked, elsewhere } = impact;
  const { of, verb } = forces[force];
  const freed = forceOf(policy.before) === "blocks" ? "newly allows" : "no longer reports";
  const title = policy.title === "" ? "" : `  ${paint("dim", printable(policy.title))}`;
  const fresh = blocked.filter(({ already }) => !already);
  const kept = blocked.filter(({ already }) => already);
  const detected = seen === 0 ? "nothing" : plural(seen, "resource");
  // If nothing was detected, no source can be called unused.
  const unused = seen === 0 ? [] : unseen;
  const outside = `${plural(elsewhere, "more resource")} of these hosts: the only known page of each is not selected by the policy`;
  return [
    `  ${paint("bold", policy.key)}${title}  ${of}; ${detected} detected on its pages`,
    ...listed(`newly ${verb}`, fresh, affectedText, paint("red", "✗")),
    ...listed(`still ${verb}`, kept, affectedText, paint("dim", "✗")),
    ...listed(freed, impact.newlyAllowed, affectedText, paint("green", "+")),
    ...listed(
      "allows, although malicious",
      impact.allowedMalicious,
      affectedText,
      paint("red", "!"),
    ),
    ...listed(
      "unclear",
      impact.unclear,
      (each) => `${affectedText(each)}: ${each.reason}`,
      paint("magenta", "?"),
    ),
    ...listed(
      "allows, but nothing detected needs it",
      unused,
      ({ directive, source }) => printable(`${directive} ${source.text}`),
      "·",
    ),
    ...(elsewhere === 0 ? [] : [paint("dim", `    ${outside}`)]),
  ];
}

function listed<T>(
  words: string,
  items: readonly T[],
  text: (item: T) => string,
  sign: string,
): readonly string[] {
  if (items.length === 0) return [];
  const more = items.length - maxListed;
  return [
    `    ${sign} ${words}: ${items.length}`,
    ...items.slice(0, maxListed).map((item) => `        ${text(item)}`),
    ...(more > 0 ? [`        and ${more} more (all with --format json)`] : []),
  ];
}

/** A resource, when and where it was detected. */
function affectedText({ resource, pages, malicious }: AffectedResource): string {
  const [page] = pages;
  const seen = resource.lastSeenAt?.toISOString().slice(0, 10);
  const facts = [
    ...(malicious.length === 0 ? [] : [`malicious: ${malicious.join(", ")}`]),
    ...(seen === undefined ? [] : [`last seen ${seen}`]),
    ...(page === undefined
      ? []
      : [`on ${page}${pages.length > 1 ? ` and ${pages.length - 1} more` : ""}`]),
  ];
  return printable(
    `${resource.kind} ${resource.url}${facts.length === 0 ? "" : `  (${facts.join("; ")})`}`,
  );
}

function deploymentLines(impact: DeploymentImpact, paint: Paint): readonly string[] {
  const { key, ruleset, switchedOn, switchedOff, retuned, on, total, advice } = impact;
  const changes = switchedOn.length + switchedOff.length + retuned.length;
  if (changes === 0 && advice.length === 0) return [];
  return [
    `  ${paint("bold", key)}  ${printable(ruleset.name)}, version ${ruleset.version}; ${on} of ${plural(total, "rule")} on`,
    ...listed("switches on", switchedOn, ruleText, paint("green", "+")),
    ...listed("switches off", switchedOff, ruleText, paint("red", "-")),
    ...listed("tunes", retuned, retunedText, paint("yellow", "~")),
    ...advice.map((words) => `    ${paint("yellow", "!")} ${printable(words)}`),
  ];
}

function exceptionLines({ exceptions, unread }: ZoneImpact, paint: Paint): readonly string[] {
  if (exceptions.length === 0) return [];
  const those = (when: ManagedException["when"]): readonly ManagedException[] =>
    exceptions.filter((each) => each.when === when);
  const missing = `not read, since the zone does not declare them: ${unread.join(", ")}`;
  return [
    `  ${paint("bold", "exceptions")}  that spare requests from the managed rules`,
    ...listed("new", those("starts"), exceptionText, paint("red", "+")),
    ...listed("as before", those("stays"), exceptionText, "·"),
    ...listed("no longer", those("ends"), exceptionText, paint("green", "-")),
    ...(unread.length === 0 ? [] : [paint("dim", `    ${missing}`)]),
  ];
}

function exceptionText({ kind, name, title, expression, from }: ManagedException): string {
  const known = name.includes("/") ? name : `${kindWords(kind)} ${name}`;
  const titled = title === "" ? known : `${known} “${title}”`;
  return printable(`${titled}: ${from}, where ${expression}`);
}

function ruleText(rule: RulesetRule): string {
  const level = levelOf(rule);
  const name = `${printable(rule.description)} (${rule.id})`;
  return level === undefined ? name : `level ${level}: ${name}`;
}

function retunedText({ before, after }: RetunedRule): string {
  return `${ruleText(after.rule)}: ${tuningText(before)} → ${tuningText(after)}`;
}

function tuningText({ action, scoreThreshold }: EffectiveRule): string {
  return scoreThreshold === undefined ? action : `${action} from ${scoreThreshold}`;
}
