import { createHash } from "node:crypto";
import { appendFile } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";

import { describe, it } from "vitest";

import { lineOf } from "../../src/memory/directory/journal-line.ts";
import {
  coerceObject,
  coerceObjects,
  coerceText,
  type JsonObject,
  parseJson,
} from "../../src/syntax/json.ts";
import type { Started } from "../support/command-line.ts";
import {
  control,
  type Example,
  exampleWithEmulator,
  stateOf,
  writesSeenBy,
} from "../support/example.ts";
import { logged, logLines } from "../support/log-lines.ts";
import { eventually } from "../support/processes.ts";
import { someOf } from "../support/properties.ts";
import { jsonFrom, stop } from "../support/running.ts";
import { allRun, settled } from "../support/settled-example.ts";

const config = 'schedule: { cron: "0 * * * *" }\nstore: { path: state }';

const broken = "zones: [";

/** Entries of the state that say another text of a zone file. */
function storedFile(file: string, text: string): readonly [string, string] {
  const hash = createHash("sha256").update(text).digest("hex");
  return [`file/${file}`, `${hash} ${gzipSync(text).toString("base64")}`];
}

/** Appends a line to the state, as anybody who may write it can. */
async function forge(
  { place }: Example,
  ...entries: readonly (readonly [string, string])[]
): Promise<void> {
  await appendFile(path.join(place.directory, "state/state.jsonl"), lineOf(entries));
}

/** The text of the profile of all zones that does not protect them. */
async function weakProfile({ place }: Example): Promise<string> {
  const text = await place.read("zones/baseline.yaml");
  return text
    .replace("enabled: true", "enabled: false")
    .replace("paranoia_level: 2", "paranoia_level: 1");
}

/** What the state says of the active revision. */
async function storedHead(example: Example): Promise<JsonObject> {
  return coerceObject(parseJson((await stateOf(example)).get("revision") ?? ""));
}

/** The statuses of the zones, in the order of their names. */
async function statusesOf(daemon: Started): Promise<readonly string[]> {
  const answer = await jsonFrom(daemon, "api/v1/zones");
  return coerceObjects(answer["zones"]).map(({ status }) => coerceText(status));
}

const round = { round: "closed", passed: 0, judgesKnown: false, single: false };

describe("zone files that somebody forged in the state", () => {
  it.for(
    someOf(
      [
        { disk: "as they were", files: {}, round },
        { disk: "as they were, with their hash forged too", files: {}, round, isHashKept: true },
        {
          disk: "all broken",
          files: { "baseline.yaml": broken, "shop.yaml": broken, "sites.yaml": broken },
          round,
        },
        {
          disk: "all broken, with the first round open",
          files: { "baseline.yaml": broken, "shop.yaml": broken, "sites.yaml": broken },
          round: { ...round, round: "open", passed: -1000 },
        },
        { disk: "broken where the profile is", files: { "baseline.yaml": broken }, round },
      ],
      2,
    ),
  )("lead to no write, with the files on the disk $disk", async (row, { expect }) => {
    await using example = await exampleWithEmulator({ config });
    await stop(await settled(example));
    const written = writesSeenBy(example.emulator).length;
    const forged = storedFile("baseline.yaml", await weakProfile(example));
    const head = await storedHead(example);
    const hash = row.isHashKept === true ? {} : { hash: "f".repeat(64), revision: "sha256-f" };
    await forge(example, forged, ["revision", JSON.stringify({ ...head, ...hash, ...row.round })]);
    for (const [file, text] of Object.entries(row.files)) {
      await example.place.write(`zones/${file}`, text);
    }
    const daemon = example.place.start("run");
    await allRun(daemon);
    expect(await statusesOf(daemon)).toEqual(["held", "held", "held"]);
    await stop(daemon);
    expect(writesSeenBy(example.emulator).slice(written)).toEqual([]);
  });

  it("let pass what only strengthens, until a person accepts the files on the disk", async ({
    expect,
  }) => {
    await using example = await exampleWithEmulator({ config });
    await stop(await settled(example));
    const written = writesSeenBy(example.emulator).length;
    await example.place.edit(
      "zones/baseline.yaml",
      "score_threshold: medium",
      "score_threshold: low",
    );
    // The first correction cannot break a site. The other one may.
    await control(example, "edit", { zone: "blog.example.com", settings: { enabled: false } });
    const set = { paranoia_level: 1 };
    await control(example, "edit", { zone: "shop.example.com", rule: "zonewarden:owasp", set });
    const daemon = example.place.start("run");
    const { hold } = await logged(daemon, "revision held");
    await allRun(daemon);
    await logged(daemon, "plan applied");
    const shop = logLines(daemon).find(({ msg }) => msg === "plan held");
    expect(shop).toMatchObject({ zone: "shop.example.com", cause: "drift" });
    expect(JSON.stringify(shop?.["holds"])).toContain(
      "only the state says what this zone declares: nothing is written, as not all of the plan only strengthens (managed_rule/owasp); accept the held revision, or mend the files",
    );
    expect(writesSeenBy(example.emulator).slice(written)).toHaveLength(1);

    const [, revision = ""] = /add (\S+) to limits\.accept/.exec(coerceText(hold)) ?? [];
    await example.place.edit(
      "zonewarden.yaml",
      "min_fleet: 2",
      `min_fleet: 2, accept: [${revision}]`,
    );
    await eventually(
      "all zones are as the disk says",
      () => logLines(daemon).filter(({ msg }) => msg === "plan applied").length === 4 || undefined,
    );
    await stop(daemon);
  });
});
