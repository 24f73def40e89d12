import { windowSince } from "../../audit/audit-window.ts";
import { type BlameItem, blameJson, blameText } from "../../audit/blame-output.ts";
import { type DeclaredZones, declaredZones, touchedZones } from "../../audit/touched-zones.ts";
import { damageText, readHistory } from "../../history/file/history-lines.ts";
import { type Host, hasColor } from "../../host/host.ts";
import { shownName } from "../../plan/cause/author.ts";
import { jsonText, paintOf } from "../../render/format.ts";
import { momentHelp, momentIn } from "../../syntax/duration.ts";
import { jsonOf } from "../../syntax/json.ts";
import type { AuditWindow } from "../../zone/audit-entry.ts";
import { rulesIn } from "../../zone/live-zone.ts";
import { noParts } from "../../zone/ports.ts";
import { rulePhases } from "../../zone/rule-phase.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { Zone } from "../../zone/zone.ts";
import type { DefineCommand, PrintFlags } from "../command-options.ts";
import { type ExitCode, exitCodes, fail } from "../output/exit-codes.ts";
import { listOneZone } from "../session/listing.ts";
import { type Session, withSession } from "../session/session.ts";
import { withHistory } from "../session/stored.ts";

export const defineBlame: DefineCommand = (command, host) => {
  command
    .argument("<zone>", "the zone: a name or an id")
    .configFile()
    .formats("text", "json")
    .option("--since <when>", "from this moment or so long ago: 2026-03-01, 24h, 30d", "30d")
    .examples(
      "zonewarden blame shop.example.com",
      "zonewarden blame shop.example.com --since 24h --format json | jq .entries",
    )
    .runs((zone: string, flags: BlameFlags) => printBlame(zone, flags, host));
};

interface BlameFlags extends PrintFlags {
  readonly since: string;
}

/** Prints who changed what of a zone, beside our own history. Sends only GETs. */
async function printBlame(name: string, flags: BlameFlags, host: Host): Promise<ExitCode> {
  const now = host.clock.now();
  const since = momentIn(flags.since, now);
  if (since === undefined) return fail(`blame: ${momentHelp}`, host);
  if (since > now) return fail("blame: --since is in the future", host);
  return withSession(flags, host, async (session) => {
    const zone = await listOneZone(name, session);
    if (zone === undefined) return exitCodes.failed;
    const window = windowSince(since, now);
    const audited = await auditItems(zone, window, session);
    const runs = await runItems(zone, window, session);
    const items = [...audited.items, ...runs].toSorted((a, b) => Number(a.at) - Number(b.at));
    print(zone, since, items, flags.format, host);
    if (!audited.isCut) return exitCodes.done;
    const message = "the audit log has more entries than are read at once: the oldest are missing";
    return fail(`${message}; use a shorter --since`, host, exitCodes.partial);
  });
}

async function auditItems(
  zone: Zone,
  window: AuditWindow,
  session: Session,
): Promise<{ readonly items: readonly BlameItem[]; readonly isCut: boolean }> {
  const { config, service, stop } = session;
  const shown = (name: string): string => shownName(name, config.audit.actors);
  const ofZone = await service.audit.readOf(zone, window, stop);
  const ofAccount = await service.audit.readAccountOf(zone, window, stop);
  const entries = [...ofZone.entries, ...ofAccount.entries];
  const isCut = ofZone.isCut || ofAccount.isCut;
  const { rulesets, titles } = await liveNow(zone, session);
  const only: DeclaredZones = {
    ...declaredZones([{ zone, content: { rules: {} } }]),
    byRuleset: new Map(rulesets.map((id) => [id, [zone.name]])),
  };
  const own = new Map(entries.map((entry) => [entry.id, entry]));
  const items = [...own.values()]
    .filter((entry) => touchedZones(entry, only).length > 0)
    .map((entry) => {
      const isOwn = service.audit.isOwnToken(entry.actor.tokenId);
      const { email, tokenName, ...others } = entry.actor;
      const names = { email: shown(email), tokenName: shown(tokenName) };
      const written = { ...entry, actor: { ...others, ...names } };
      const title = titles.get(entry.wrote?.id ?? "") ?? "";
      return { kind: "audit", at: entry.at, entry: written, isOwn, title } as const;
    });
  return { items, isCut };
}

/**
 * The rulesets that a zone deploys: what changes them changes the zone. And the descriptions of its policies, custom
 * rulesets and rules, by their ids. None where the zone cannot be read.
 */
async function liveNow(
  zone: Zone,
  { config, service, stop }: Session,
): Promise<{
  readonly rulesets: readonly string[];
  readonly titles: ReadonlyMap<string, string>;
}> {
  const customRulesets = { owner: config.desired.owner, keys: "any" } as const;
  const parts = { ...noParts, policies: true, rules: rulePhases, customRulesets };
  try {
    const live = await service.reader.readListed(zone, parts, "changed", stop);
    const rules = Object.values(live.entrypoints).flatMap(rulesIn);
    const rulesets = rules.flatMap(({ action }) =>
      action.type === "execute" ? [action.ruleset] : [],
    );
    const custom = live.customRulesets ?? [];
    const inside = custom.flatMap((each) => each.rules ?? []);
    const described = [...(live.policies ?? []), ...rules, ...custom, ...inside];
    return { rulesets, titles: new Map(described.map((each) => [each.id, each.description])) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { rulesets: [], titles: new Map() };
  }
}

/** The runs of the history; a run that found nothing is left out. None if there is no store. */
async function runItems(
  { name }: Zone,
  { since }: AuditWindow,
  { config, host }: Session,
): Promise<readonly BlameItem[]> {
  if (config.store === undefined) return [];
  const items: BlameItem[] = [];
  await withHistory(config, "the configuration", host, async ({ file, pieces }) => {
    const { entries, damaged } = await readHistory(pieces());
    if (damaged.length > 0) host.stderr.write(`${file}: ${damageText(damaged)}\n`);
    const runs = entries.filter(
      ({ zone, at, changes }) => zone === name && at >= since && changes.length > 0,
    );
    items.push(...runs.map((run) => ({ kind: "run", at: run.at, run }) as const));
    return exitCodes.done;
  });
  return items;
}

function print(
  zone: Zone,
  since: Date,
  items: readonly BlameItem[],
  format: BlameFlags["format"],
  host: Host,
): void {
  if (format === "json") {
    const about = jsonOf({ format: 1, zone: zone.name, since });
    host.stdout.write(jsonText({ ...about, entries: items.map(blameJson) }));
    return;
  }
  const paint = paintOf(hasColor(host, host.stdout));
  for (const item of items) host.stdout.write(blameText(item, paint));
  if (items.length === 0) {
    host.stdout.write(`${zone.name}: nobody changed it since ${since.toISOString()}\n`);
  }
}
