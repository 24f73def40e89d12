import { describe, it } from "vitest";

import { type Example, exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { logLines, told } from "../support/log-lines.ts";
import { eventually } from "../support/processes.ts";

/** Two of the example's three zones are too many for one step. */
const config = 'schedule: { cron: "0 * * * *" }\nlimits: { min_fleet: 2 }';

/** Lowers what all zones that share the example's profile tolerate. */
async function editProfile({ place }: Example): Promise<void> {
  const text = await place.read("zones/baseline.yaml");
  await place.write(
    "zones/baseline.yaml",
    text.replace("score_threshold: medium", "score_threshold: high"),
  );
}

describe("a revision of the files that changes too many zones", () => {
  it("is released by the very word that its refusal says", async ({ expect }) => {
    await using example = await exampleWithEmulator({ config });
    const daemon = example.place.start("run");
    await eventually(
      "all zones are as declared",
      () =>
        logLines(daemon).filter(({ msg }) => msg === "plan carried out").length === 2 || undefined,
    );
    const written = writesSeenBy(example.emulator).length;

    await editProfile(example);
    const { refusal } = await told(daemon, "files held");
    expect(writesSeenBy(example.emulator)).toHaveLength(written);
    const [, revision = ""] =
      /by adding (\S+) to limits\.accept/.exec(JSON.stringify(refusal)) ?? [];
    expect(revision).toMatch(/^sha256-[0-9a-f]{12}$/);

    const file = await example.place.read("zonewarden.yaml");
    const accepting = file.replace("min_fleet: 2", `min_fleet: 2, accept: [${revision}]`);
    await example.place.write("zonewarden.yaml", accepting);
    await eventually(
      "the release is carried out",
      () => writesSeenBy(example.emulator).length > written || undefined,
    );
    daemon.signal("SIGTERM");
    expect((await daemon.ended).code).toBe(0);
    expect(logLines(daemon).filter(({ msg }) => msg === "problem in a file")).toEqual([]);
  });
});
