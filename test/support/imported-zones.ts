import type { NewFile } from "../../src/cli/output/files.ts";
import type { ZoneToWrite } from "../../src/cli/session/import-zones.ts";
import { writableCheck } from "../../src/desired/import/zone-text.ts";
import { selectZones } from "../../src/desired/zones/select.ts";
import { importLiveZone } from "../../src/plan/import/import-zone.ts";
import { type Plan, plan } from "../../src/plan/plan.ts";
import type { Diagnostic } from "../../src/zone/diagnostic.ts";
import type { LiveZone } from "../../src/zone/live-zone.ts";
import { desiredBench } from "./desired.ts";
import { owner } from "./model.ts";

/** Of all fleets of a test: what can be written depends on nothing else. */
const whyNot = writableCheck();

/** What an import declares of live zones. */
export function imported(lives: readonly LiveZone[]): readonly ZoneToWrite[] {
  return lives.map((live) => ({
    zone: live.zone,
    content: importLiveZone(live, owner, whyNot).content,
  }));
}

/** Texts by the name of their file. */
export function textsOf(files: readonly NewFile[]): Readonly<Record<string, string>> {
  return Object.fromEntries(files.map(({ file, text }) => [file, text]));
}

/** The errors of zone files, and the plan of each live zone. */
export async function plansOf(
  files: Readonly<Record<string, string>>,
  lives: readonly LiveZone[],
): Promise<{ readonly errors: readonly Diagnostic[]; readonly plans: readonly Plan[] }> {
  const { documents, diagnostics } = await desiredBench(files).load();
  const zones = lives.map(({ zone }) => zone);
  const selected = selectZones(documents, { zones, unlisted: [] });
  const errors = [...diagnostics, ...selected.diagnostics].filter(
    ({ severity }) => severity === "error",
  );
  const plans = lives.flatMap((live) =>
    selectZones(documents, { zones: [live.zone], unlisted: [] }).zones.map((desired) =>
      plan(desired, live, owner),
    ),
  );
  return { errors, plans };
}
