import { describe, it } from "vitest";

import { createReporter, type Reporter, type ReporterOptions } from "../../src/daemon/reporter.ts";
import type { Loaded, ReportedLoad } from "../../src/reconcile/fleet/active-revision.ts";
import type { FleetZone } from "../../src/reconcile/fleet/desired-fleet.ts";
import { Fleet, type Subscriber, type ZoneStep } from "../../src/state/fleet.ts";
import type { ZoneReport } from "../../src/state/run-report.ts";
import type { ZoneState } from "../../src/state/zone-state.ts";
import { coerceObject, coerceText, isJsonObject, parseJson } from "../../src/syntax/json.ts";
import { createLogger } from "../../src/telemetry/log/log.ts";
import type { ExportedLabels } from "../../src/telemetry/metrics/zone-labels.ts";
import { noContent, type ZoneDocument, type ZoneLabels } from "../../src/zone/desired-zone.ts";
import type { Diagnostic } from "../../src/zone/diagnostic.ts";
import { drifted, held, shop } from "../support/fleets.ts";
import { zoneNamed } from "../support/model.ts";
import {
  type Came,
  change,
  declared,
  diagnostic,
  failure,
  loadInWaves,
  named,
  report as reportOf,
  start,
  tokenUse,
} from "../support/reports.ts";
import { freshMetrics, scrape } from "../support/scrapes.ts";

/** A reporter, and what it logs and counts. */
function reporter(
  configDiagnostics: readonly Diagnostic[] = [],
  before: readonly string[] = [],
  zoneLabels: ExportedLabels = {},
  more: Partial<ReporterOptions> = {},
): {
  readonly fleet: Fleet;
  readonly report: (loaded: Loaded, judged?: Partial<ReportedLoad>) => void;
  /** A run ended. */
  readonly ran: (report: ZoneReport) => void;
  readonly unlisted: Reporter["unlisted"];
  readonly bug: Reporter["bug"];
  readonly lines: string[];
  readonly messages: () => readonly unknown[];
  readonly counted: (result: string) => Promise<number | undefined>;
  readonly overlaps: () => Promise<number | undefined>;
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
    tokenUses: () => [],
    stepEvents: () => [],
    turned: () => undefined,
    configDiagnostics: () => configDiagnostics,
    declared: () => undefined,
    ...more,
  });
  return {
    fleet,
    lines,
    ran: created.report,
    unlisted: created.unlisted,
    bug: created.bug,
    overlaps: async () => {
      created.overlapped();
      const { series } = await scrape(metrics);
      return series.get('zonewarden_schedule_missed_runs_total{reason="overlap"}');
    },
    report: (loaded, judged = {}) =>
      created.loaded({
        ...loaded,
        isAllListed: true,
        round: { phase: "closed", passed: 0, judgesKnown: false, isBinding: true },
        rollout: { turns: [], status: undefined, stored: undefined },
        ...judged,
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

describe("a sweep that waits for the one before", () => {
  it("is logged, and counted each time", async ({ expect }) => {
    const { overlaps, messages } = reporter();
    expect([await overlaps(), await overlaps()]).toEqual([1, 2]);
    expect(messages()[1]).toBe("sweep delayed: the sweep before is still running");
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

describe("zones that the files do not declare any more", () => {
  const remembered = [named("z0.example"), named("old.example")];

  it("are told once every credential has listed its zones, and all of the files is active", ({
    expect,
  }) => {
    const gone: string[][] = [];
    const subscriber = {
      zone: () => undefined,
      load: () => undefined,
      gone: (zones: readonly ZoneState[]) => gone.push(zones.map((each) => each.declared.name)),
    };
    const { report, messages, fleet } = reporter(
      [],
      [],
      {},
      { remembered, subscribers: [subscriber] },
    );
    const removals = (): number =>
      messages().filter((each) => each === "zone no longer managed").length;
    const [both, first] = [labelled(2, () => ({})), labelled(1, () => ({}))];
    report({ ...loadedAs("applied", "one"), fleet: both }, { isAllListed: false });
    // A file that is broken, renamed or held back may declare the others.
    for (const result of ["rejected", "partial", "held"] as const) {
      report(loadedAs(result, "two"));
    }
    report({ ...loadedAs("unchanged", "two"), diagnostics: [diagnostic()], fleet: first });
    expect([removals(), gone]).toEqual([0, []]);
    expect(fleet.zones.map((each) => each.declared.name)).toEqual(["z0.example", "z1.example"]);
    report({ ...loadedAs("applied", "three"), fleet: first });
    report({ ...loadedAs("applied", "four"), fleet: first });
    expect([removals(), gone]).toEqual([2, [["z1.example", "old.example"]]]);
  });
});

/** A zone that files declare. */
function zoneIn(name: string, ...files: readonly string[]): FleetZone {
  const target = { by: "name", name: named(name) } as const;
  const documents = files.map((file): ZoneDocument => {
    return { target, content: noContent, place: { file, line: 1, column: 1 } };
  });
  return { desired: { zone: zoneNamed(name), content: noContent, documents }, digest: "" };
}

describe("what a load declares", () => {
  const message = "wave 2 of 3";

  it("names the broken files of a zone, whose last good version is in force", ({ expect }) => {
    const zones = new Map([
      [named("z0.example"), zoneIn("z0.example", "all.yaml", "shops.yaml")],
      [named("z1.example"), zoneIn("z1.example", "all.yaml")],
    ]);
    const { report, fleet } = reporter();
    const files = (): unknown => fleet.zones.map(({ declared: { brokenFiles } }) => brokenFiles);
    const [broken, mended] = [loadedAs("partial", "two"), loadedAs("applied", "two")];
    report({ ...broken, fleet: { ...broken.fleet, zones } });
    expect(files()).toEqual([["shops.yaml"], undefined]);
    // A file with a warning is in force.
    const diagnostics = [diagnostic({ severity: "warning" })];
    report({ ...mended, diagnostics, fleet: { ...mended.fleet, zones } });
    expect(files()).toEqual([undefined, undefined]);
  });

  it("is each zone with its hold, and those that no credential lists", ({ expect }) => {
    const { zones } = labelled(4, (n) => (n === 0 ? { team: "edge" } : {}));
    const wave = {
      content: noContent,
      digest: "",
      isDecided: true,
      hold: { reason: "wave", message },
    } as const;
    const waves = [
      {},
      {},
      { wave: { ...wave, isHeld: false } },
      { wave: { ...wave, isHeld: true } },
    ];
    const waving = [...zones].map(
      ([name, zone], nth) => [name, { ...zone, ...waves[nth] }] as const,
    );
    const missing = new Map([[named("missing.example"), undefined]]);
    const listed: string[] = [];
    const tell: ReporterOptions["declared"] = (all) =>
      listed.push(...all.map(({ zone }) => zone.name));
    const { report, fleet } = reporter([], [], {}, { declared: tell });
    report({
      ...loadedAs("held", "two"),
      fleet: { zones: new Map(waving), diagnostics: [], missing },
      hold: {
        reason: "fleet_change",
        message: "too much",
        hash: "two",
        touched: new Set([named("z1.example")]),
      },
    });
    expect(fleet.zones.map(({ declared: { name, labels, hold } }) => [name, labels, hold])).toEqual(
      [
        ["missing.example", {}, undefined],
        ["z0.example", { team: "edge" }, undefined],
        ["z1.example", {}, { reason: "fleet_change", message: "too much", hash: "two" }],
        ["z2.example", {}, wave.hold],
        ["z3.example", {}, undefined],
      ],
    );
    expect(listed).toEqual([...zones.keys()]);
    expect(fleet.load).toMatchObject({
      zones: 5,
      revision: "one",
      held: { revision: "two", zones: 1, hold: { reason: "fleet_change" } },
    });
  });

  it.for([
    { isAllListed: true, known: ["missing.example", "z0.example"] },
    { isAllListed: false, known: undefined },
  ])("is what the configuration is checked with: all listed: $isAllListed", (given, { expect }) => {
    const asked: unknown[] = [];
    const configDiagnostics: ReporterOptions["configDiagnostics"] = (names) => {
      asked.push(names && [...names].toSorted());
      return [];
    };
    const { report } = reporter([], [], {}, { configDiagnostics });
    const missing = new Map([[named("missing.example"), undefined]]);
    const fleet = { ...labelled(1, () => ({})), missing };
    report({ ...loadedAs("applied", "one"), fleet }, { isAllListed: given.isAllListed });
    expect(asked).toEqual([given.known]);
  });
});

describe("the first round", () => {
  const fleet = labelled(1, () => ({}));
  const planning = { phase: "planning", passed: 0, judgesKnown: false, isBinding: true } as const;
  const closed = { ...planning, phase: "closed" } as const;

  it("is told when it begins and when it ends", ({ expect }) => {
    const { report, messages } = reporter();
    const said = (
      result: Loaded["result"],
      hash: string,
      round: ReportedLoad["round"],
    ): unknown => {
      report({ ...loadedAs(result, hash), fleet }, { round });
      return messages().filter((each) => String(each).startsWith("first round"));
    };
    expect(said("applied", "one", { ...planning, isBinding: false })).toEqual([]);
    expect(said("applied", "one", planning)).toEqual([
      "first round: what was applied before is not known; every zone is planned before the first write",
    ]);
    expect(said("unchanged", "one", planning)).toEqual([]);
    expect(said("held", "one", planning)).toEqual([
      "first round: the zones are planned; nothing is written",
    ]);
    expect(said("applied", "one", planning)).toHaveLength(1);
    expect(said("applied", "one", closed)).toEqual([
      "first round: the zones are planned; writing begins",
    ]);
    expect(said("applied", "one", closed)).toEqual([]);
  });

  it("of no zones is none", ({ expect }) => {
    const { report, messages } = reporter();
    report(loadedAs("applied", "one"), { round: planning });
    expect(messages()).toEqual(["revision applied"]);
  });
});

describe("what happened to a rollout", () => {
  it("is logged, and told with the load", ({ expect }) => {
    const told: unknown[] = [];
    const turned: ReporterOptions["turned"] = ({ turn }, load) => told.push([turn, load.revision]);
    const { report, messages, fleet } = reporter([], [], {}, { turned });
    const { rollout: status } = loadInWaves();
    const turns = [{ turn: "began" }, { turn: "wave_began", wave: 1, zones: 31 }] as const;
    report(loadedAs("applied", "one"), { rollout: { turns, status, stored: undefined } });
    expect(messages()).toEqual(["rollout began", "wave began", "revision applied"]);
    expect(told).toEqual([
      ["began", "one"],
      ["wave_began", "one"],
    ]);
    expect(fleet.load?.rollout).toEqual(status);
  });
});

describe("a run of a zone that was removed from the files meanwhile", () => {
  it("is passed on as such, and to no subscriber", ({ expect }) => {
    const told: string[] = [];
    const subscriber = {
      zone: ({ report, after, tokenUses, stepEvents }: ZoneStep) =>
        told.push(`run ${report.zone} ${after.status} ${tokenUses?.length} ${stepEvents?.length}`),
      load: () => undefined,
      gone: () => undefined,
    };
    const { ran } = reporter(
      [],
      [shop],
      {},
      {
        subscribers: [subscriber],
        tokenUses: () => [tokenUse()],
        stepEvents: () => [],
        undeclared: (report) => told.push(`undeclared ${report.zone}`),
      },
    );
    ran(reportOf(shop, 1, drifted));
    ran(reportOf("gone.example", 2, drifted));
    expect(told).toEqual([`run ${shop} drifted 1 0`, "undeclared gone.example"]);
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

describe("a run in the log", () => {
  it("names the credential of each write", ({ expect }) => {
    const { ran, lines } = reporter([], [shop]);
    const changes = [change("policy/a"), change("policy/b")];
    ran(reportOf(shop, 1, { result: "applied", cause: "drift", changes }));
    const ofMain = lines.filter((line) => coerceObject(parseJson(line))["credential"] === "main");
    expect(ofMain).toHaveLength(2);
  });
});

describe("another version of the OWASP ruleset", () => {
  it("is in the log", ({ expect }) => {
    const { ran, lines } = reporter([], [shop]);
    for (const owaspVersion of ["3.3", "4.0", "4.0"]) {
      const run = reportOf(shop, 1, drifted);
      if ("plan" in run) ran({ ...run, plan: { ...run.plan, owaspVersion } });
    }
    const told = lines.map((line) => coerceObject(parseJson(line)));
    const changed = told.filter(({ msg }) => msg === "OWASP ruleset version changed");
    expect(changed).toMatchObject([{ zone: shop, before: "3.3", after: "4.0" }]);
  });
});

describe("zones that cannot be listed", () => {
  it("are in the log, with the time until they are listed again", ({ expect }) => {
    const { unlisted, lines } = reporter();
    unlisted(failure("GET zones: 503"), 5_000);
    expect(lines.map((line) => parseJson(line))).toMatchObject([
      {
        level: "error",
        msg: "zones cannot be listed",
        error: "GET zones: 503",
        ray: "8f2a",
        retry_ms: 5_000,
      },
    ]);
  });
});

describe("an internal error", () => {
  it("is in the log, with the zone", ({ expect }) => {
    const { bug, lines } = reporter();
    bug(new Error("a bug"), shop);
    expect(lines.map((line) => parseJson(line))).toMatchObject([
      { level: "error", msg: "internal error", zone: shop, err: { message: "a bug" } },
    ]);
  });
});

describe("files that are polled", () => {
  it("tell what is in them when they change, and not again when they are found unchanged", ({
    expect,
  }) => {
    const told: unknown[] = [];
    const load: Subscriber["load"] = (each) => told.push([each.result, each.diagnostics]);
    const subscriber = { zone: () => undefined, gone: () => undefined, load };
    const { report, messages } = reporter([], [], {}, { subscribers: [subscriber] });
    const diagnostics = [diagnostic({ severity: "warning" })];
    report({ ...loadedAs("applied", "one"), diagnostics });
    expect(messages()).toEqual(["file diagnostic", "revision applied"]);
    for (let polls = 0; polls < 2; polls += 1) {
      report({ ...loadedAs("unchanged", "one"), diagnostics });
    }
    expect(messages()).toEqual(["revision unchanged"]);
    expect(told).toEqual([
      ["applied", diagnostics],
      ["unchanged", diagnostics],
    ]);
  });

  it("are logged when they change, and counted also while they are unchanged", async ({
    expect,
  }) => {
    const { report, messages, counted } = reporter();
    report(loadedAs("applied", "one"));
    report(loadedAs("unchanged", "one"));
    expect(messages()).toEqual(["revision applied", "revision unchanged"]);
    for (let polls = 0; polls < 100; polls += 1) report(loadedAs("unchanged", "one"));
    expect(messages()).toEqual([]);
    expect(await counted("unchanged")).toBe(101);
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
