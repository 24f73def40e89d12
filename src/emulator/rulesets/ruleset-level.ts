import { accountIn, identifierIn, permissions, zoneIn } from "../http/access.ts";
import type { Call } from "../http/endpoint.ts";
import { refused, unpublishedCodes } from "../http/service-error.ts";
import type { Owner, Ruleset, StoredRuleset } from "../state.ts";
import { managedRulesets } from "./managed.ts";
import { phases } from "./phases.ts";

/** Rulesets live at zones and at accounts, with the same operations below two prefixes. */
export interface RulesetLevel {
  readonly noun: "zone" | "account";
  /** The noun with its article. */
  readonly one: "a zone" | "an account";
  readonly prefix: string;
  readonly read: { readonly permissions: readonly string[]; readonly dryRun: false };
  readonly write: { readonly permissions: readonly string[]; readonly dryRun: true };
  ownerIn(call: Call): Owner;
}

/** Both levels. */
export const rulesetLevels: readonly RulesetLevel[] = [
  {
    noun: "zone",
    one: "a zone",
    prefix: "/zones/:zone_id/rulesets",
    read: { permissions: permissions.zoneRulesetsRead, dryRun: false },
    write: { permissions: permissions.zoneRulesetsWrite, dryRun: true },
    ownerIn: zoneIn,
  },
  {
    noun: "account",
    one: "an account",
    prefix: "/accounts/:account_id/rulesets",
    read: { permissions: permissions.accountRulesetsRead, dryRun: false },
    write: { permissions: permissions.accountRulesetsWrite, dryRun: true },
    ownerIn: accountIn,
  },
];

/** The managed rulesets that a zone or account may use: free zones have few (SERVICE.md B.7). */
export function managedFor(owner: Owner): readonly Ruleset[] {
  const all = [...managedRulesets.values()];
  if (owner.level === "account" || owner.plan !== "free") return all;
  return all.filter(({ name, phase }) => name.includes("Free") || !phase.includes("firewall"));
}

/** The ruleset in the path: the owner's own, or a managed one, which both levels can read. */
export function rulesetIn(call: Call, owner: Owner): StoredRuleset {
  const id = identifierIn(call, "ruleset_id");
  const own = owner.rulesets.find(({ current }) => current.id === id);
  if (own !== undefined) return own;
  const managed = managedFor(owner).find((ruleset) => ruleset.id === id);
  if (managed !== undefined) return { current: managed, past: [] };
  throw refused(404, unpublishedCodes.rulesetNotFound, `could not find ruleset ${id}`);
}

/** The ruleset in the path, for a write: managed ones cannot be written. */
export function ownRulesetIn(call: Call, owner: Owner): StoredRuleset {
  const found = rulesetIn(call, owner);
  if (found.current.kind !== "managed") return found;
  throw refused(400, unpublishedCodes.ruleset, "managed rulesets cannot be modified");
}

/** The phase in the path. */
export function phaseIn(call: Call): string {
  const given = call.param("ruleset_phase");
  if (phases.some((phase) => phase === given)) return given;
  throw refused(400, unpublishedCodes.ruleset, `'${given}' is not a valid value for phase`);
}
