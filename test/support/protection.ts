import {
  type LivePolicy,
  type LiveRule,
  type LiveZone,
  rulesIn,
} from "../../src/zone/live-zone.ts";

/** The hosts that the expressions of generated policies tell apart. */
const hosts = ["a.example.com", "b.example.com", "c.example.com"] as const;

/** Expressions of generated policies, with the hosts that each selects. */
export const hostExpressions: ReadonlyMap<string, readonly string[]> = new Map<
  string,
  readonly string[]
>([
  ["true", hosts],
  ...hosts.map((host) => [`http.host eq "${host}"`, [host]] as const),
  [`http.host in {"${hosts[0]}" "${hosts[1]}"}`, [hosts[0], hosts[1]]],
  [`http.host in {"${hosts[1]}" "${hosts[2]}"}`, [hosts[1], hosts[2]]],
]);

/** Paths that the exceptions of generated rules tell apart. */
export const paths = ["/a", "/b", "/c"] as const;

/** Sources that generated policies allow; the last one is allowed by none of them. */
export const sources = ["'self'", "cdn.example.net", "cdn.example.org", "evil.example"] as const;

const directives = ["script-src", "img-src"] as const;

/**
 * How well a zone is protected, dimension by dimension, each a number that is better when it is higher.
 *
 * Written from what a visitor's browser and the service's firewall do, without a look at how the program judges
 * effects: what of which host is blocked (2) or reported (1), which managed ruleset sees which path, and whether
 * scripts are watched.
 */
function protectionOf(live: LiveZone): ReadonlyMap<string, number> {
  const levels = new Map<string, number>();
  levels.set("scripts are watched", live.settings?.enabled === true ? 1 : 0);
  for (const host of hosts) {
    for (const directive of directives) {
      for (const source of sources) {
        const held = (live.policies ?? []).map((each) => forceOn(each, host, directive, source));
        levels.set(`${host} ${directive} ${source}`, Math.max(0, ...held));
      }
    }
  }
  const rules = rulesIn(live.entrypoints.managed_rules);
  for (const path of paths) {
    for (const ruleset of rulesetsSeeing(path, rules)) levels.set(`${path} ${ruleset}`, 1);
  }
  return levels;
}

/** The dimensions in which one of several states is weaker than both the first and the last. */
export function weakMoments(states: readonly LiveZone[]): readonly string[] {
  const levels = states.map(protectionOf);
  const [before, after] = [levels.at(0), levels.at(-1)];
  if (before === undefined || after === undefined) return [];
  return levels.flatMap((now) =>
    [...before]
      .filter(([name, was]) => (now.get(name) ?? 0) < Math.min(was, after.get(name) ?? 0))
      .map(([name]) => name),
  );
}

function forceOn(policy: LivePolicy, host: string, directive: string, source: string): number {
  const force = { allow: 2, log: 1 }[policy.action] ?? 0;
  const selects = hostExpressions.get(policy.expression)?.includes(host) ?? false;
  if (!policy.enabled || !selects) return 0;
  const lists = listsOf(policy.value);
  const ruling = lists.get(directive) ?? lists.get("default-src");
  return ruling === undefined || ruling.includes(source) ? 0 : force;
}

const known = new Map<string, ReadonlyMap<string, readonly string[]>>();

function listsOf(value: string): ReadonlyMap<string, readonly string[]> {
  const lists =
    known.get(value) ??
    new Map(
      value.split("; ").map((each) => {
        const [name = "", ...allowed] = each.split(" ");
        return [name, allowed] as const;
      }),
    );
  known.set(value, lists);
  return lists;
}

/** A skip rule acts on the rules after it (SERVICE.md B.4). */
function rulesetsSeeing(path: string, rules: readonly LiveRule[]): readonly string[] {
  const seeing: string[] = [];
  const spared = new Set<string>();
  for (const { action: does, enabled, expression } of rules) {
    const isFor = expression === "true" || expression === `http.request.uri.path eq "${path}"`;
    if (!enabled || !isFor) continue;
    if (does.type === "execute" && !spared.has(does.ruleset)) seeing.push(does.ruleset);
    if (does.type !== "skip") continue;
    if (does.skip.ruleset || does.skip.phase) return seeing;
    does.skip.rulesets.forEach((ruleset) => spared.add(ruleset));
  }
  return seeing;
}
