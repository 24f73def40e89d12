import { describe, it } from "vitest";

import { sealOf } from "../../src/history/chain/history-chain.ts";
import { coerceObjects, type Json } from "../../src/syntax/json.ts";
import type { Workplace } from "../support/command-line.ts";
import { fourDays, packIn, placeWith, run } from "../support/evidence-pack.ts";
import { historyOfChecks } from "../support/evidence-story.ts";
import { bytesOf, linesIn } from "../support/kept-history.ts";

async function statuses(place: Workplace, out: string): Promise<readonly (Json | undefined)[]> {
  const { zone } = await packIn(place, out);
  return coerceObjects(zone["days"]).map(({ status }) => status);
}

describe("evidence with a kept head", () => {
  it("shows only days that the head covers as checked", async ({ expect }) => {
    const history = await historyOfChecks(fourDays);
    const lines = linesIn(history).filter((line) => line !== "");
    const heads = lines.map((line) => sealOf(Buffer.from(line.trimEnd(), "latin1"))?.hash ?? "");
    const third = lines.findIndex((line) => line.startsWith('{"at":"2026-11-04'));
    await using place = await placeWith(history);
    const all = await run(place, "all", "--head", heads.at(-1) ?? "");
    expect(all.stderr).not.toContain("not covered");
    expect(await statuses(place, "all")).toEqual(Array(4).fill("checked"));

    const older = await run(place, "older", "--head", heads[third - 1] ?? "");
    expect(older.stderr).toMatch(/lines of the history are not covered by the head/);
    expect(older.code).toBe(5);
    const shown = ["checked", "checked", "no_record", "no_record"];
    expect(await statuses(place, "older")).toEqual(shown);
    const past = await run(
      place,
      "past",
      "--head",
      heads[third - 1] ?? "",
      "--until",
      "2026-11-03",
    );
    expect(past.stderr).not.toContain("not covered");

    const changed = lines.map((line) => line.replace('"2026-11-02T', '"2026-11-05T'));
    await place.write("state/history.jsonl", bytesOf(changed).toString());
    await run(place, "changed", "--head", heads.at(-1) ?? "");
    expect((await statuses(place, "changed"))[0]).toBe("no_record");
  });
});
