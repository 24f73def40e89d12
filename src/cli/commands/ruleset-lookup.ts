import type { RulesetScope } from "../../api/read/read-rulesets.ts";
import type { Host } from "../../host/host.ts";
import { managedPhase, rulesetIdOf } from "../../zone/managed-ruleset.ts";
import type { PrintFlags } from "../command-options.ts";
import { type ExitCode, exitCodes, fail } from "../output/exit-codes.ts";
import { listMatchingZones } from "../session/listing.ts";
import { type Session, withSession } from "../session/session.ts";

/** The options of all commands on rulesets. */
export interface RulesetFlags extends PrintFlags {
  /** Whether the rulesets of the zone's account are meant. */
  readonly account?: boolean;
}

export interface FoundRuleset {
  readonly scope: RulesetScope;
  readonly id: string;
}

/** Connects to the service, finds the zone and runs `work`. */
export async function withScope<Flags extends RulesetFlags>(
  zone: string,
  flags: Flags,
  host: Host,
  work: (scope: RulesetScope, flags: Flags, session: Session) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withSession(flags.config, host, async (session) => {
    const { zones } = await listMatchingZones([zone], session);
    const [found, ...more] = zones;
    if (found === undefined) return exitCodes.failed;
    if (more.length > 0) {
      return fail(`${zone}: ${zones.length} zones match; name one, or give its id`, host);
    }
    const level = flags.account === true ? "account" : "zone";
    return work({ level, zone: found }, flags, session);
  });
}

/**
 * Connects to the service, finds the ruleset and runs `work`.
 *
 * @param ruleset an id, a phase, a short name such as `owasp`, or a name that only one ruleset has.
 */
export async function withRuleset<Flags extends RulesetFlags>(
  zone: string,
  ruleset: string,
  flags: Flags,
  host: Host,
  work: (found: FoundRuleset, flags: Flags, session: Session) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withScope(zone, flags, host, async (scope, _flags, session) => {
    const id = await idOf(ruleset, scope, session);
    if (id !== undefined) return work({ scope, id }, flags, session);
    const where = scope.level === "zone" ? scope.zone.name : `the account of ${scope.zone.name}`;
    return fail(`${where} has no ruleset "${ruleset}": zonewarden rulesets list shows all`, host);
  });
}

async function idOf(
  name: string,
  scope: RulesetScope,
  { service, stop }: Session,
): Promise<string | undefined> {
  if (/^[0-9a-f]{32}$/.test(name)) return name;
  const managed = rulesetIdOf(name);
  if (managed !== undefined) return managed;
  const phase = name === "entrypoint" ? managedPhase : name;
  const kind = scope.level === "zone" ? "zone" : "root";
  const heads = await service.rulesets.list(scope, stop);
  const entrypoint = heads.find((head) => head.phase === phase && head.kind === kind);
  if (entrypoint !== undefined) return entrypoint.id;
  const [found, ...others] = heads.filter((head) => head.name === name);
  return others.length === 0 ? found?.id : undefined;
}
