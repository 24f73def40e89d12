import type { KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";

import { Ajv2020 } from "ajv/dist/2020.js";

import type { FilesRevision } from "../../src/evidence/evidence-stories.ts";
import { scriptRecordOf, type ScriptWatch } from "../../src/state/scripts/script-watch.ts";
import type { ScriptReading } from "../../src/state/scripts/watched-scripts.ts";
import type { DeclaredScripts } from "../../src/zone/declared-scripts.ts";
import { SimulatedClock } from "./clock.ts";
import { shop } from "./fleets.ts";
import { MemoryHistory, openStore } from "./history-files.ts";
import { check, day } from "./watched.ts";

/** A check of the shop, so many days after the first one. */
export interface StoryCheck {
  readonly days: number;
  readonly declared: DeclaredScripts;
  /** `undefined`: the inventory could not be read. */
  readonly reading: ScriptReading | undefined;
  /** The files that declare it. */
  readonly files?: FilesRevision;
}

const someFiles: FilesRevision = { revision: "sha256-1", commit: "c0ffee" };

/** The history file of checks, as the daemon keeps it. With a key, a signed head follows each check. */
export async function historyOfChecks(
  checks: readonly StoryCheck[],
  zone: string = shop,
  signKey?: KeyObject,
): Promise<Buffer> {
  const store = new MemoryHistory();
  const clock = new SimulatedClock(day(0));
  const { log: file } = await openStore(store, { clock, signKey });
  let watch: ScriptWatch | undefined;
  for (const { days, declared, reading, files = someFiles } of checks) {
    const at = day(days);
    clock.step(Number(at) - Number(clock.now()));
    const result = check(declared, reading, at, watch);
    const record = scriptRecordOf(result, {
      at,
      zone,
      revision: files.revision,
      commit: files.commit,
    });
    if (record !== undefined) file.append(record);
    watch = { ...result.watch, ...(record?.read !== undefined && { recordedAt: at }) };
    await file.settled();
    if (signKey !== undefined) await file.recordHead("daily");
    await file.settled();
  }
  await file.recordHead("stop");
  await file.settled();
  return store.bytes;
}

const schema: unknown = JSON.parse(readFileSync("schemas/evidence.schema.json", "utf8"));
const validate = new Ajv2020({ strict: true, validateFormats: false }).compile<object>(
  schema instanceof Object ? schema : {},
);

/** What the schema of the pack says against a text. */
export function schemaErrors(text: string): unknown {
  validate(JSON.parse(text));
  return validate.errors;
}
