import type { RulesetScope } from "../../api/read/read-rulesets.ts";
import type { Host } from "../../host/host.ts";
import { managedPhase, rulesetIdOf } from "../../zone/managed-ruleset.ts";
import { type ExitCode, exitCodes } from "../output/exit-codes.ts";
import { listMatchingZones } from "../session/listing.ts";
import { type Session, withSession } from "../session/session.ts";

/** Which zone's rulesets are meant. */
export interface ScopeFlags {
  readonly config: string;
  readonly format: "text" | "json";
  readonly zone: string;
  /** Whether the rulesets of the zone's account are meant. */
  readonly account?: boolean;
}

export interface RulesetFlags extends ScopeFlags {
  /** An id, a phase, a short name such as `owasp`, or a name that only one ruleset has. */
  readonly ruleset: string;
}

export interface FoundRuleset {
  readonly scope: RulesetScope;
  readonly id: string;
}

/** Connects to the service, finds the zone and runs `work`. */
export async function withScope(
  { config, zone, account }: ScopeFlags,
  host: Host,
  work: (scope: RulesetScope, session: Session) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withSession(config, host, async (session) => {
    const { zones } = await listMatchingZones([zone], session);
    const [found, ...more] = zones;
    if (found === undefined) return exitCodes.failed;
    if (more.length > 0) {
      host.stderr.write(`${zone}: ${zones.length} zones match; name one, or give its id\n`);
      return exitCodes.failed;
    }
    return work({ level: account === true ? "account" : "zone", zone: found }, session);
  });
}

/** Connects to the service, finds the ruleset and runs `work`. */
export async function withRuleset(
  flags: RulesetFlags,
  host: Host,
  work: (found: FoundRuleset, session: Session) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withScope(flags, host, async (scope, session) => {
    const id = await idOf(flags.ruleset, scope, session);
    if (id !== undefined) return work({ scope, id }, session);
    const where = scope.level === "zone" ? scope.zone.name : `the account of ${scope.zone.name}`;
    host.stderr.write(
      `${where} has no ruleset "${flags.ruleset}": zonewarden rulesets list shows all\n`,
    );
    return exitCodes.failed;
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
