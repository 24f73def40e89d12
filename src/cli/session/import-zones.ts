import { whyNotWritable } from "../../desired/import/zone-text.ts";
import type { Host } from "../../host/host.ts";
import { type ImportedZone, importLiveZone } from "../../plan/import/import-zone.ts";
import { type Failure, failureOf } from "../../state/run-report.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { Zone } from "../../zone/zone.ts";
import { gapsText, type ImportGap } from "../output/import-report.ts";
import { startProgress } from "../output/progress.ts";
import { inParallel } from "./in-parallel.ts";
import type { Session } from "./session.ts";

/** What an import can read of a zone. */
export const importable = ["settings", "policies", "rules"] as const;

export type ImportPart = (typeof importable)[number];

/** The declaration of what is live in a zone, or why it cannot be read. */
export type Imported = { readonly zone: Zone } & (
  | { readonly imported: ImportedZone }
  | { readonly failure: Failure }
);

/** Reads zones, and declares what is live. Sends only GETs. */
export async function importZones(
  wanted: readonly Zone[],
  only: readonly ImportPart[],
  { config, service: { reader }, host, stop }: Session,
): Promise<readonly Imported[]> {
  const rules = only.includes("rules");
  const parts = {
    settings: only.includes("settings"),
    policies: only.includes("policies"),
    rules,
    scoreRule: rules,
  };
  using progress = startProgress("reading zones", wanted.length, host);
  return await inParallel(wanted, config.api.concurrency, async (zone) => {
    try {
      const live = await reader.readZone(zone, parts, "changed", stop);
      return { zone, imported: importLiveZone(live, config.desired.owner, whyNotWritable) };
    } catch (error) {
      stop.throwIfAborted();
      if (!(error instanceof ServiceError)) throw error;
      return { zone, failure: failureOf(error) };
    } finally {
      progress.step();
    }
  });
}

/** Prints what could not be read, and what a zone file cannot declare. */
export function printGaps(zones: readonly Imported[], { stderr }: Host): void {
  const gaps = zones.map((each): ImportGap =>
    "failure" in each
      ? { zone: each.zone.name, failure: each.failure.message }
      : { zone: each.zone.name, leftOut: each.imported.leftOut },
  );
  stderr.write(gapsText(gaps));
}

/** Why no zone could be read; `undefined` if at least one was. */
export function failureOfAll(zones: readonly Imported[]): Failure | undefined {
  const failures = zones.flatMap((each) => ("failure" in each ? each.failure : []));
  return failures.length === zones.length ? failures[0] : undefined;
}

/** The zones that could be read, with what their files declare. */
export function declaredIn(
  zones: readonly Imported[],
): readonly { readonly zone: Zone; readonly content: ImportedZone["content"] }[] {
  return zones.flatMap((each) =>
    "failure" in each ? [] : { zone: each.zone, content: each.imported.content },
  );
}

/** Whether the zone was read, and the declaration has all of it. */
export function isComplete(each: Imported): boolean {
  return "imported" in each && each.imported.leftOut.length === 0;
}
