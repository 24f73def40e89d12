import { describe, it } from "vitest";

import { createReporter } from "../../src/daemon/reporter.ts";
import type { Loaded } from "../../src/reconcile/fleet/active-revision.ts";
import { Fleet } from "../../src/state/fleet.ts";
import type { ZoneReport } from "../../src/state/run-report.ts";
import { coerceObject, coerceText, isJsonObject, parseJson } from "../../src/syntax/json.ts";
import { createLogger } from "../../src/telemetry/log/log.ts";
import type { ExportedLabels } from "../../src/telemetry/metrics/zone-labels.ts";
import { noContent, type ZoneLabels } from "../../src/zone/desired-zone.ts";
import type { Diagnostic } from "../../src/zone/diagnostic.ts";
import { drifted, held, shop } from "../support/fleets.ts";
import { zoneNamed } from "../support/model.ts";
import {
  type Came,
  change,
  declared,
  diagnostic,
  named,
  report as reportOf,
  start,
} from "../support/reports.ts";
import { freshMetrics, scrape } from "../support/scrapes.ts";

/** A reporter, and what it logs and counts. */
function reporter(
  configDiagnostics: readonly Diagnostic[] = [],
  before: readonly string[] = [],
  zoneLabels: ExportedLabels = {},
): {
  readonly report: (loaded: Loaded) => void;
  /** A run ended. */
  readonly ran: (report: ZoneReport) => void;
  readonly lines: string[];
  readonly messages: () => readonly unknown[];
  readonly counted: (result: string) => Promise<number | undefined>;
} {
  const lines: string[] = [];
  const fleet = new Fleet();
  fleet.declare(
    before.map((name) => declared(name)),
    start,
  );
  const metrics = freshMetrics(zoneLabels);
  const created = createReporter({
    fleet,
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
    remembered: [],
    source: "zones",
    now: () => start,
    credentialOf: () => "main",
    undeclared: () => undefined,
    configDiagnostics: () => configDiagnostics,
    declared: () => undefined,
  });
  return {
    lines,
    ran: created.report,
    report: (loaded) =>
      created.loaded({
        ...loaded,
        isAllListed: true,
        round: { phase: "closed", passed: 0, judgesKnown: false, isBinding: true },
      }),
    messages: () =>
      lines.splice(0).map((line) => {
        const told: unknown = JSON.parse(line);
        return isJsonObject(told) ? told["msg"] : line;
      }),
    counted: async (result) => {
      const { series } = await scrape(metrics);
      return series.get(`zonewarden_files_reloads_total{result="${result}"}`);
    },
  };
}

function loadedAs(result: Loaded["result"], hash: string): Loaded {
  const diagnostics = result === "partial" || result === "rejected" ? [diagnostic()] : [];
  return {
    result,
    state: {
      documents: [],
      diagnostics,
      usable: result !== "rejected",
      revision: hash,
      hash,
      declaredHash: hash,
    },
    diagnostics,
    fleet: { zones: new Map(), diagnostics, missing: new Map() },
    active: { revision: "one", hash: "one", declaredHash: "one" },
    hold:
      result === "held"
        ? { reason: "fleet_change", message: "too much", touched: new Set() }
        : undefined,
  };
}

/** Zones with labels, as a load of the files declares them. */
function labelled(count: number, labelsOf: (n: number) => ZoneLabels): Loaded["fleet"] {
  const names = Array.from({ length: count }, (_, n) => `z${n}.example`);
  const zones = new Map(
    names.map((name, n) => {
      const desired = { zone: zoneNamed(name), content: noContent, labels: labelsOf(n) };
      return [named(name), { desired, digest: "" }];
    }),
  );
  return { zones, diagnostics: [], missing: new Map() };
}

describe("a label with more values than metrics tell", () => {
  it("is logged once", ({ expect }) => {
    const { report, lines } = reporter([], [], { team: "label_team", tier: "label_tier" });
    const load = (hash: string, values: number): void =>
      report({
        ...loadedAs("applied", hash),
        fleet: labelled(70, (n) => ({ team: `t${n % values}`, tier: `t${n % 3}`, free: `f${n}` })),
      });
    const crowded = (): readonly string[] =>
      lines.splice(0).filter((line) => line.includes("than metrics tell"));
    load("one", 50);
    expect(crowded()).toEqual([]);
    load("two", 51);
    const [line = "", ...others] = crowded();
    expect(JSON.parse(line)).toMatchObject({ level: "warn", label: "team" });
    load("three", 60);
    expect([...others, ...crowded()]).toEqual([]);
  });
});

describe("zones that are dropped", () => {
  it("are logged by name, once", ({ expect }) => {
    const { report, lines, messages } = reporter([], ["a.example", "b.example"]);
    report(loadedAs("applied", "one"));
    const removed = lines.map((line): unknown => JSON.parse(line)).slice(0, 2);
    const line = { level: "warn", msg: "zone no longer managed", live: "left as it was" };
    expect(removed).toMatchObject([
      { ...line, zone: "a.example" },
      { ...line, zone: "b.example" },
    ]);
    messages();
    report(loadedAs("applied", "two"));
    expect(messages()).toEqual(["revision applied"]);
  });
});

describe("a zone that differs at each sweep", () => {
  const changed = change("policy/a", "strengthens", {
    fields: [{ field: "action", before: "log", after: "allow" }],
  });
  const moreDrift: Came = { result: "planned", cause: "drift", changes: [changed] };

  it("is logged once for each change of what differs, and else for who debugs", ({ expect }) => {
    const { ran, lines } = reporter([], [shop]);
    const levels = (...came: readonly Came[]): readonly string[] =>
      came.map((each, minute) => {
        ran(reportOf(shop, minute + 1, each));
        const { level, msg } = coerceObject(parseJson(lines.splice(0).join("")));
        return `${coerceText(level)} ${coerceText(msg)}`;
      });
    expect(levels(held("observe"), held("observe"), held("observe"))).toEqual([
      "error drift detected",
      "debug drift detected",
      "debug drift detected",
    ]);
    expect(levels(held("weakening"), held("weakening"))).toEqual([
      "error plan held",
      "debug plan held",
    ]);
    expect(levels(moreDrift, moreDrift)).toEqual(["error drift detected", "debug drift detected"]);
    expect(levels({ result: "in_sync" }, drifted)).toEqual([
      "debug zone in sync",
      "error drift detected",
    ]);
  });
});

describe("files that are polled", () => {
  it("are logged when they change, and not while they are unchanged", ({ expect }) => {
    const { report, messages } = reporter();
    report(loadedAs("applied", "one"));
    report(loadedAs("unchanged", "one"));
    expect(messages()).toEqual(["revision applied", "revision unchanged"]);
    for (let polls = 0; polls < 100; polls += 1) report(loadedAs("unchanged", "one"));
    expect(messages()).toEqual([]);
    report(loadedAs("applied", "two"));
    expect(messages()).toEqual(["revision applied"]);
  });

  it.for([
    { result: "partial", says: ["file diagnostic", "revision partially applied"] },
    { result: "rejected", says: ["file diagnostic", "revision rejected"] },
    { result: "held", says: ["revision held"] },
  ] as const)(
    "are logged and counted once for each revision that is $result",
    async ({ result, says }, { expect }) => {
      const { report, messages, counted } = reporter();
      report(loadedAs("applied", "one"));
      messages();
      for (let polls = 0; polls < 100; polls += 1) report(loadedAs(result, "two"));
      expect(messages()).toEqual(says);
      expect(await counted(result)).toBe(1);
      report(loadedAs(result, "three"));
      expect(await counted(result)).toBe(2);
      report(loadedAs("unchanged", "one"));
      report(loadedAs(result, "three"));
      expect(await counted(result)).toBe(3);
    },
  );

  it("are partial while the configuration has errors, since it keeps its last good version", async ({
    expect,
  }) => {
    const { report, messages, counted } = reporter([diagnostic()]);
    for (let polls = 0; polls < 3; polls += 1) report(loadedAs("unchanged", "one"));
    expect(messages()).toEqual(["revision partially applied"]);
    expect(await counted("partial")).toBe(1);
    report(loadedAs("held", "two"));
    expect(messages()).toEqual(["revision held"]);
  });
});
