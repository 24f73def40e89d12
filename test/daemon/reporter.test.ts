import { describe, it } from "vitest";

import { reporterOf } from "../../src/daemon/reporter.ts";
import type { Loaded } from "../../src/reconcile/fleet/active-revision.ts";
import { Fleet } from "../../src/state/fleet.ts";
import { isJsonObject } from "../../src/syntax/json.ts";
import { createLogger } from "../../src/telemetry/log/log.ts";
import { diagnostic, start } from "../support/reports.ts";
import { freshMetrics, scrape } from "../support/scrapes.ts";

/** A teller, and what log and metrics have heard from it. */
function audience(): {
  readonly tell: (loaded: Loaded) => void;
  readonly messages: () => readonly unknown[];
  readonly counted: (result: string) => Promise<number | undefined>;
} {
  const lines: string[] = [];
  const metrics = freshMetrics();
  const teller = reporterOf({
    fleet: new Fleet(),
    metrics,
    logger: createLogger({
      level: "trace",
      format: "json",
      color: false,
      destination: { write: (line) => lines.push(line) },
      clock: { now: () => start },
      scrub: (line) => line,
    }),
    subscribers: [],
    source: "zones",
    now: () => start,
    credentialOf: () => "main",
    configProblems: () => [],
  });
  return {
    tell: (loaded) => teller.loaded(loaded),
    messages: () =>
      lines.splice(0).map((line) => {
        const told: unknown = JSON.parse(line);
        return isJsonObject(told) ? told["msg"] : line;
      }),
    counted: async (result) => {
      const { series } = await scrape(metrics);
      return series.get(`zonewarden_config_reloads_total{result="${result}"}`);
    },
  };
}

function loadedAs(result: Loaded["result"], hash: string): Loaded {
  const diagnostics = result === "invalid" ? [diagnostic()] : [];
  return {
    result,
    state: { documents: [], diagnostics, revision: hash, hash },
    diagnostics: diagnostics,
    fleet: { zones: new Map(), diagnostics, missing: new Map() },
    inForce: { revision: "one", hash: "one" },
    hold:
      result === "held"
        ? { reason: "fleet_change", message: "too much", touched: new Set() }
        : undefined,
  };
}

describe("files that are looked at every half minute", () => {
  it("are told when they change, and not while they stay as they are", ({ expect }) => {
    const { tell, messages } = audience();
    tell(loadedAs("applied", "one"));
    tell(loadedAs("unchanged", "one"));
    expect(messages()).toEqual(["files loaded", "files unchanged"]);
    for (let polls = 0; polls < 100; polls += 1) tell(loadedAs("unchanged", "one"));
    expect(messages()).toEqual([]);
    tell(loadedAs("applied", "two"));
    expect(messages()).toEqual(["files loaded"]);
  });

  it.for(["invalid", "held"] as const)(
    "are told and counted once for each version that is %s",
    async (result, { expect }) => {
      const { tell, messages, counted } = audience();
      tell(loadedAs("applied", "one"));
      messages();
      for (let polls = 0; polls < 100; polls += 1) tell(loadedAs(result, "two"));
      expect(messages()).toHaveLength(2);
      expect(await counted(result)).toBe(1);
      tell(loadedAs(result, "three"));
      expect(await counted(result)).toBe(2);
      tell(loadedAs("unchanged", "one"));
      tell(loadedAs(result, "three"));
      expect(await counted(result)).toBe(3);
    },
  );
});
