import { describe, it } from "vitest";

import { coerceObjects } from "../../src/syntax/json.ts";
import type { Started } from "../support/command-line.ts";
import { type Example, exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { logLines, logged } from "../support/log-lines.ts";
import { eventually } from "../support/processes.ts";
import { jsonFrom, stop, textFrom } from "../support/running.ts";

const config = 'schedule: { cron: "0 * * * *" }';

/** Lowers what all zones that share the example's profile tolerate. */
async function editProfile({ place }: Example): Promise<void> {
  await place.edit("zones/baseline.yaml", "score_threshold: medium", "score_threshold: high");
}

const zones = ["blog.example.com", "shop.example.com", "www.brand.example"];

/** What a daemon tells of itself over HTTP. */
async function lookAt(daemon: Started): Promise<{
  readonly metrics: string;
  readonly blocked: readonly string[];
  readonly fleet: unknown;
  readonly diagnostics: string;
}> {
  const metrics = await textFrom(daemon, "metrics");
  const blocked = [...metrics.matchAll(/^zonewarden_zone_held(\{.*fleet_change"\} 1)$/gm)];
  return {
    metrics,
    blocked: blocked.map(([, series = ""]) => series),
    fleet: await jsonFrom(daemon, "api/v1/fleet"),
    diagnostics: await textFrom(daemon, "diagnostics"),
  };
}

describe("a revision of the files that changes too many zones", () => {
  it("is released by the hash that its hold names, also of other files that declare the same", async ({
    expect,
  }) => {
    await using example = await exampleWithEmulator({ config });
    const daemon = example.place.start("run");
    await eventually(
      "all zones are as declared",
      () => logLines(daemon).filter(({ msg }) => msg === "plan applied").length === 2 || undefined,
    );
    const written = writesSeenBy(example.emulator).length;

    // From now on, two of the example's three zones are too many for one step.
    const unlimited = await example.place.read("zonewarden.yaml");
    await example.place.write("zonewarden.yaml", `${unlimited}limits: { min_fleet: 2 }\n`);
    await logged(daemon, "configuration applied");
    await editProfile(example);
    const { hold } = await logged(daemon, "revision held");
    expect(writesSeenBy(example.emulator)).toHaveLength(written);
    const seen = await lookAt(daemon);
    const [, revision, hash] =
      /revision (\S+) .*add (sha256-[0-9a-f]{64}) to limits\.accept/.exec(JSON.stringify(hold)) ??
      [];
    expect(hash).not.toBe(revision);
    expect(seen.blocked).toEqual(zones.map((zone) => `{zone="${zone}",reason="fleet_change"} 1`));
    expect(seen.fleet).toMatchObject({
      desired: { result: "held", diagnostics: 0, held: { revision, zones: 3 } },
      by_status: { held: 0, in_sync: 3 },
    });
    expect(seen.metrics).toContain(
      `zonewarden_files_held_info{source="${example.place.directory}/zones",revision="${revision}",commit=""} 1`,
    );
    expect(seen.metrics).not.toMatch(`zonewarden_files_info{.*${revision}`);
    expect(seen.diagnostics).toContain("is held");
    const { blocked_by: blockedBy, links } = await jsonFrom(
      daemon,
      "api/v1/zones/blog.example.com/write",
    );
    expect(blockedBy).toBeNull();
    const inPart = coerceObjects(links).filter(({ answer }) => answer === "partly");
    expect(inPart.map(({ link }) => link)).toEqual(["fleet"]);
    expect(inPart[0]?.["reason"]).toMatch(/what it changes here waits, and drift .* is corrected$/);

    const file = await example.place.read("zonewarden.yaml");
    const accepting = file.replace("min_fleet: 2", `min_fleet: 2, accept: [${hash}]`);
    await example.place.write(
      "zones/note.yaml",
      "# another file, which declares nothing\nzones: []\n",
    );
    await example.place.write("zonewarden.yaml", accepting);
    await eventually(
      "the release is carried out",
      () => writesSeenBy(example.emulator).length > written || undefined,
    );
    await eventually("nothing is held any more", async () => {
      const { blocked, metrics } = await lookAt(daemon);
      return blocked.length === 0 &&
        metrics.includes(`zonewarden_files_info{source="${example.place.directory}/zones",`) &&
        !metrics.includes("zonewarden_files_held_info{")
        ? true
        : undefined;
    });
    expect(await stop(daemon)).toBe(0);
    expect(logLines(daemon).filter(({ msg }) => msg === "file diagnostic")).toEqual([]);
  });
});
