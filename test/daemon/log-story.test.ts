import { describe, it } from "vitest";

import type { JsonObject } from "../../src/syntax/json.ts";
import { exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { startJsonSink } from "../support/http-server.ts";
import { logLines, logged } from "../support/log-lines.ts";
import { eventually } from "../support/processes.ts";
import { stop } from "../support/running.ts";
import { corrected } from "../support/settled-example.ts";

const shop = "shop.example.com";

/** What a line is about, in short. */
function factOf(line: JsonObject): string {
  const parts = [
    line["msg"],
    line["zone"],
    line["trigger"],
    line["call"],
    line["at"],
    line["result"],
  ];
  return parts.filter((part) => typeof part === "string").join(" ");
}

describe("the log of a daemon", () => {
  it("has each fact once: what was written, found, broken and repaired, and why", async ({
    expect,
  }) => {
    await using webhook = await startJsonSink();
    await using example = await exampleWithEmulator({
      config: `schedule: { cron: "0 0 1 * *" }
notifications: [{ name: pipeline, type: webhook, url: "${webhook.url}" }]`,
    });
    const daemon = example.place.start("run");
    await logged(daemon, "plan applied", { zone: shop });
    await logged(daemon, "plan applied", { zone: "www.brand.example" });

    await corrected(example, daemon, shop);

    await example.place.write("zones/broken.yaml", "zones: [");
    await logged(daemon, "revision partially applied");
    await example.place.remove("zones/broken.yaml");
    await eventually("both stories of the files arrive", () =>
      webhook.objects.filter(
        ({ reason }) => typeof reason === "string" && reason.startsWith("Revision"),
      ).length === 2
        ? true
        : undefined,
    );
    await stop(daemon);

    const lines = logLines(daemon);
    expect(lines.map(factOf).toSorted()).toEqual([
      "file diagnostic broken.yaml:1:9",
      "no store: after a restart, zonewarden does not know what it applied, and its history is lost; set store.path",
      "plan applied shop.example.com signal applied",
      "plan applied shop.example.com startup applied",
      "plan applied www.brand.example startup applied",
      // At the start, and when the broken file was gone.
      "revision applied applied",
      "revision applied applied",
      "revision partially applied partial",
      "stopping",
      "write done shop.example.com signal update-rule done",
      "write done shop.example.com startup update-policy done",
      "write done shop.example.com startup update-rule done",
      "write done www.brand.example startup create-entrypoint done",
      "write done www.brand.example startup create-policy done",
      "write done www.brand.example startup update-settings done",
      "zonewarden started",
      "zonewarden stopped",
    ]);
    const written = lines.filter(({ audit }) => audit === true);
    expect(written).toHaveLength(writesSeenBy(example.emulator).length);
    const runs = new Map(
      lines.filter(({ msg }) => msg === "plan applied").map(({ run, zone }) => [run, zone]),
    );
    expect(runs.size).toBe(3);
    for (const { run, zone, credential } of written) {
      expect([runs.get(run), credential]).toEqual([zone, "default"]);
    }
    expect(webhook.objects.map(({ reason }) => reason)).toEqual([
      "DriftCorrected",
      "RevisionPartial",
      "RevisionApplied",
    ]);
  });
});
