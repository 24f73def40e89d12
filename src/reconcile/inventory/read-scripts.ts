import { scriptEnforcement } from "../../impact/script-enforcement.ts";
import { needsPages, scriptsOnPages, scriptsToRead } from "../../state/scripts/needed-reads.ts";
import type { ScriptWatch } from "../../state/scripts/script-watch.ts";
import type { ScriptReading } from "../../state/scripts/watched-scripts.ts";
import type { DeclaredScripts } from "../../zone/declared-scripts.ts";
import type { ZoneContent } from "../../zone/desired-zone.ts";
import type { ItemKind, Script } from "../../zone/inventory-item.ts";
import type { LiveZone } from "../../zone/live-zone.ts";
import { type LiveReader, onlyPart, type ScriptReader } from "../../zone/ports.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { Zone } from "../../zone/zone.ts";

/** Reads what an inventory does not tell of scripts, and whether they are watched. */
export type ScriptSource = ScriptReader & Pick<LiveReader, "readAnswers">;

const settingsOnly = onlyPart("settings");

/**
 * Reads what the check of declared scripts needs beyond the inventory. In most rounds that is nothing: the pages are asked
 * for where there are other scripts than before, or once in six days; and versions are read of pinned scripts whose hash
 * or time moved.
 *
 * @param scripts all of the zone
 */
export async function readScripts(
  declared: DeclaredScripts,
  scripts: readonly Script[],
  live: LiveZone,
  earlier: ScriptWatch | undefined,
  now: Date,
  source: ScriptSource,
  signal: AbortSignal,
): Promise<ScriptReading> {
  const { zone } = live;
  const asks = needsPages(declared, scripts, earlier, now);
  const onPages = asks
    ? new Set((await source.listScriptsOn(zone, declared.pages, signal)).map(({ id }) => id))
    : undefined;
  const found = scriptsOnPages(declared, scripts, onPages ?? earlier?.onPages);
  const settings = live.settings ?? (asks ? await readSettings(zone, source, signal) : undefined);
  return {
    scripts,
    onPages,
    details: await readDetails(zone, scriptsToRead(declared, found, earlier), source, signal),
    isMonitored: settings?.enabled,
    enforcementOf: scriptEnforcement(live.policies ?? [], declared.pages),
  };
}

async function readSettings(
  zone: Zone,
  source: ScriptSource,
  signal: AbortSignal,
): Promise<LiveZone["settings"]> {
  return (await source.readAnswers(zone, settingsOnly, "inventory", signal)).live().settings;
}

/** A script that cannot be read by its id, for example because it was just deleted, has no details. */
async function readDetails(
  zone: Zone,
  scripts: readonly Script[],
  source: ScriptSource,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Script>> {
  const details = new Map<string, Script>();
  for (const { id } of scripts) {
    try {
      details.set(id, await source.readScript(zone, id, signal));
    } catch (error) {
      if (!(error instanceof ServiceError) || error.transient) throw error;
    }
  }
  return details;
}

/**
 * The zones that declare scripts which no round checks.
 *
 * @param kinds of items that rounds read; none if the inventory is off
 */
export function uncheckedScripts<T extends { readonly content: Pick<ZoneContent, "scripts"> }>(
  kinds: readonly ItemKind[],
  declared: Iterable<T>,
): readonly T[] {
  if (kinds.includes("script")) return [];
  return [...declared].filter(({ content }) => content.scripts !== undefined);
}
