import { readFileSync } from "node:fs";
import path from "node:path";

import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, it } from "vitest";

import { historyEntryResults } from "../../src/history/history.ts";
import { shownStates } from "../../src/measure/measurement.ts";
import { type Change, deleteReasons } from "../../src/plan/change.ts";
import { holdReasons } from "../../src/plan/guard/hold.ts";
import { writeLinks } from "../../src/plan/guard/may-write.ts";
import { answersJson } from "../../src/render/write-answers.ts";
import { collectorStates } from "../../src/state/collector-status.ts";
import { loadResults, zonesOfWave } from "../../src/state/load-report.ts";
import { triggers } from "../../src/state/run-report.ts";
import { findingKinds } from "../../src/state/scripts/script-watch.ts";
import { stepStates } from "../../src/state/steps-status.ts";
import { zoneStatuses } from "../../src/state/zone-state.ts";
import {
  coerceObject,
  coerceObjects,
  isJsonObject,
  type Json,
  type JsonObject,
} from "../../src/syntax/json.ts";
import {
  fleetJson,
  historyOfZoneJson,
  diagnosticsJson,
  measurementsJson,
  rolloutOfJson,
  storedFleetJson,
  storedZonesJson,
  zoneJson,
  zonesJson,
} from "../../src/web/json-view.ts";
import { selectionFrom } from "../../src/web/pages/selection.ts";
import { type Snapshot, writeAnswerOf } from "../../src/web/snapshot.ts";
import { a, after, fleetOf, shop } from "../support/fleets.ts";
import { measuredWeek } from "../support/measured-week.ts";
import { snapshotOf } from "../support/pages.ts";
import {
  at,
  auditOf,
  daemon,
  declared,
  diagnostic,
  fleetRefusal,
  heldLoad,
  load,
  loadInWaves,
  named,
  report,
  standby,
  tokenUse,
} from "../support/reports.ts";
import { historyOf, scene } from "../support/scenes.ts";
import { setBack, steppedZone } from "../support/stepped.ts";
import { storedScene } from "../support/stored-scene.ts";

const file = path.resolve(import.meta.dirname, "../../schemas/status.schema.json");
const schema = readSchema();
const ajv = new Ajv2020({ strict: true, allErrors: true, schemas: [schema] });

function readSchema(): JsonObject {
  const value: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (!isJsonObject(value)) throw new Error(`${file}: no object`);
  return value;
}

/** What the schema says against a body as it is sent; empty when nothing. */
function faultsOf(definition: string, body: unknown): string {
  const validate = ajv.getSchema(`urn:zonewarden:schema:status#/$defs/${definition}`);
  if (validate === undefined) throw new Error(`no definition ${definition}`);
  void validate(JSON.parse(JSON.stringify(body)));
  return ajv.errorsText(validate.errors ?? []).replace("No errors", "");
}

/** The values of a definition, or of a part of it: `entry.properties.result`. */
function valuesOf(place: string, key = "enum"): Json | undefined {
  return `${place}.${key}`
    .split(".")
    .reduce<Json | undefined>((found, part) => coerceObject(found)[part], schema["$defs"]);
}

describe("the schema of /api/v1", () => {
  const snapshot: Snapshot = {
    ...snapshotOf(scene()),
    stepsOf: (name) => (name === shop ? steppedZone() : undefined),
  };

  it("describes what is sent of the fleet", ({ expect }) => {
    expect(faultsOf("fleet", fleetJson(snapshot))).toBe("");
    const waiting = fleetJson({ ...snapshot, daemon: daemon({ cluster: standby }) });
    expect(faultsOf("fleet", waiting)).toBe("");
    expect(waiting).toMatchObject({ cluster: { leader: false, holder: "zonewarden-0_a" } });
    expect(faultsOf("zones", zonesJson(snapshot, selectionFrom({})))).toBe("");
    expect(faultsOf("diagnostics", diagnosticsJson(snapshot))).toBe("");
  });

  it.for(scene().zones)("describes $declared.name, which is $status", (state, { expect }) => {
    expect(faultsOf("zone", zoneJson(state, snapshot))).toBe("");
    expect(faultsOf("write", answersJson(writeAnswerOf(state, snapshot)))).toBe("");
    expect(valuesOf("link")).toEqual(writeLinks);
    expect(valuesOf("stepState")).toEqual(stepStates);
  });

  it.for(scene().zones)("describes the history of $declared.name", (state, { expect }) => {
    expect(faultsOf("history", historyOfZoneJson(snapshot, state.declared.name))).toBe("");
  });

  it("describes what a process that waits reads from the store", ({ expect }) => {
    const waiting = { ...snapshot, daemon: daemon({ cluster: standby }) };
    const { readAt, zones } = storedScene();
    const body = storedFleetJson({ readAt, zones }, waiting);
    expect(faultsOf("stored_fleet", body)).toBe("");
    expect(body).toMatchObject({ source: "store", zones: 4, by_status: { drifted: 1, held: 0 } });
    const list = storedZonesJson(readAt, zones, selectionFrom({}));
    expect(faultsOf("stored_zones", list)).toBe("");
    const www = coerceObjects(list["zones"]).find(({ name }) => name === "www.example.com");
    expect(www).toMatchObject({ last_entry: { hold_reasons: ["freeze"] } });
    expect(list).toMatchObject({ source: "store", matching: 4, by_status: { unknown: 1 } });
    const failed = storedFleetJson({ readAt, zones: "no answer" }, waiting);
    expect(faultsOf("stored_fleet", failed)).toBe("");
    // What is not known is no zero.
    expect(failed).toMatchObject({ failure: "no answer", zones: null, by_status: null });
    expect(storedFleetJson({ readAt, zones }, snapshot)).toMatchObject({ cluster: null });
  });

  it("describes uses of our token elsewhere, of the fleet and in a history", ({ expect }) => {
    const uses = [tokenUse(), tokenUse({ zone: "", isDrift: true })];
    const audit = auditOf({ usedElsewhere: uses, usedElsewhereOf: new Map([[shop, uses]]) });
    const body = fleetJson({ ...snapshot, daemon: daemon({ audit }) });
    expect(faultsOf("fleet", body)).toBe("");
    expect(body).toMatchObject({ audit: { token_uses: [{ drift: false }, { drift: true }] } });
    const ran = [report(shop, 0, { result: "in_sync" })];
    const history = historyOf(fleetOf(declared(shop)), ran, uses);
    const entries = historyOfZoneJson({ ...snapshot, history }, shop);
    expect(faultsOf("history", entries)).toBe("");
    expect(entries).toMatchObject({ entries: [{ token_uses: [{ zone: shop }, { zone: "" }] }] });
  });

  it.for(collectorStates)("describes measurements that are %s", (state, { expect }) => {
    const measurements = { state, reason: state === "lagging" ? "the service is busy" : "" };
    const body = fleetJson({ ...snapshot, daemon: daemon({ measurements }) });
    expect(faultsOf("fleet", body)).toBe("");
    const reason = state === "lagging" ? "the service is busy" : null;
    expect(body).toMatchObject({ measurements: { state, reason } });
    expect(valuesOf("collector_state")).toEqual(collectorStates);
  });

  it("describes the measurements of a zone, with every state of an hour", ({ expect }) => {
    const body = measurementsJson(measuredWeek(at(0)), { state: "denied", reason: "403" });
    expect(faultsOf("measurements", body)).toBe("");
    const states = coerceObjects(body["objects"]).flatMap(({ hours }) =>
      coerceObjects(hours).map(({ state }) => state),
    );
    expect(new Set(states)).toEqual(new Set(shownStates));
    expect(valuesOf("hour_state")).toEqual(shownStates);
    expect(body["collector"]).toEqual({ state: "denied", reason: "403" });
    // What was not measured has no count.
    const hour = { hour: at(0), state: "missing" };
    expect(faultsOf("measured_hour", hour)).toBe("");
    expect(faultsOf("measured_hour", { ...hour, count: 0 })).toContain("unevaluated");
    expect(faultsOf("measured_hour", { ...hour, state: "measured" })).toContain("count");
  });

  it.for(deleteReasons)("describes a delete whose reason is %s", (reason, { expect }) => {
    const gone: Change = { ...a, verb: "delete", id: "1", reason };
    const state = after({ result: "planned", cause: "drift", changes: [gone] });
    expect(faultsOf("zone", zoneJson(state, snapshot))).toBe("");
  });

  it("describes a history with steps", ({ expect }) => {
    const told = historyOf(fleetOf(), [report(shop, 1, { result: "in_sync" })], [], [setBack]);
    const body = historyOfZoneJson({ ...snapshot, history: told }, shop);
    expect(faultsOf("history", body)).toBe("");
    expect(body).toMatchObject({ entries: [{ steps: [{ event: "set_back" }] }] });
  });

  it("describes a fleet without inventories", ({ expect }) => {
    const off = scene();
    off.followInventory(false);
    expect(faultsOf("fleet", fleetJson({ ...snapshot, fleet: off }))).toBe("");
    for (const state of off.zones) expect(faultsOf("zone", zoneJson(state, snapshot))).toBe("");
  });

  it("describes a fleet of which a revision is held", ({ expect }) => {
    const held = fleetOf(declared(shop, { hold: fleetRefusal }));
    held.recordLoad(heldLoad());
    const body = fleetJson({ ...snapshot, fleet: held });
    expect(faultsOf("fleet", body)).toBe("");
    expect(body).toMatchObject({
      desired: {
        revision: "8c9b6cfb5909a67682231d479f0f6b5da5aa4681",
        held: { revision: "sha256-0357424802a9", reason: "fleet_change", zones: 2 },
      },
    });
    const diagnostics = diagnosticsJson({ ...snapshot, fleet: held });
    expect(faultsOf("diagnostics", diagnostics)).toBe("");
    expect(diagnostics).toMatchObject({ diagnostics: [], held: { message: fleetRefusal.message } });
    for (const state of held.zones) {
      expect(faultsOf("zone", zoneJson(state, snapshot))).toBe("");
      expect(zoneJson(state, snapshot)).toMatchObject({
        hold_reasons: ["fleet_change"],
        holds: [fleetRefusal],
      });
    }
  });

  it.for([
    { when: "soaks", rollout: {} },
    { when: "waits for a zone", rollout: { unsettled: [named(shop)], nextAt: undefined } },
  ])("describes a fleet whose wave $when", ({ rollout }, { expect }) => {
    const inWaves = fleetOf();
    inWaves.recordLoad(loadInWaves(rollout));
    const body = fleetJson({ ...snapshot, fleet: inWaves });
    expect(faultsOf("fleet", body)).toBe("");
    expect(body).toMatchObject({ desired: { rollout: { wave: 1, waiting: [0, 5, 40] } } });
  });

  it.for([
    { when: "is paused", rollout: { state: "paused", nextAt: undefined } as const, is: "paused" },
    { when: "goes on", rollout: {}, is: "running" },
  ])("describes a rollout that $when", ({ rollout, is }, { expect }) => {
    const inWaves = fleetOf();
    inWaves.recordLoad(loadInWaves(rollout));
    const none = { waiting: [], changing: [], applied: [], unchanged: [] };
    const waves = [
      { ...none, wave: 1, applied: [named(shop)], changing: [named("blog.example.com")] },
    ];
    const body = rolloutOfJson({ ...snapshot, fleet: inWaves }, waves);
    expect(faultsOf("rollout_of", body)).toBe("");
    expect(body).toMatchObject({ rollout: { state: is, by_wave: [{ applied: [shop] }] } });
  });

  it("describes a rollout that waits for many zones and for its gate", ({ expect }) => {
    const inWaves = fleetOf();
    const unsettled = Array.from({ length: 21 }, (_, nth) => named(`z${nth}.example`));
    const why = "log: 9 per 10,000 requests";
    const gate = {
      over: 1,
      unknown: 2,
      zones: [{ zone: named(shop), state: "over", why }],
    } as const;
    inWaves.recordLoad(loadInWaves({ unsettled, gate }));
    const body = rolloutOfJson({ ...snapshot, fleet: inWaves }, []);
    expect(faultsOf("rollout_of", body)).toBe("");
    expect(body).toMatchObject({
      rollout: { unsettled: 21, unsettled_zones: unsettled.slice(0, 20), gate },
    });
  });

  it.for([
    { objects: 0, pausedBy: undefined, listed: 0 },
    { objects: 1, pausedBy: undefined, listed: 1 },
    { objects: 0, pausedBy: "mia", listed: 1 },
  ])("lists $listed zones with $objects objects, paused by $pausedBy", (row, { expect }) => {
    const { objects, pausedBy, listed } = row;
    const steps = { objects: steppedZone().objects.slice(0, objects), pausedBy };
    const body = rolloutOfJson({ ...snapshotOf(fleetOf()), stepsOf: () => steps }, undefined);
    expect(faultsOf("rollout_of", body)).toBe("");
    expect(body["steps"]).toHaveLength(listed);
  });

  it("describes a fleet without a rollout", ({ expect }) => {
    const loaded = fleetOf();
    loaded.recordLoad(load());
    const body = rolloutOfJson({ ...snapshot, fleet: loaded }, undefined);
    expect(faultsOf("rollout_of", body)).toBe("");
    expect(body).toMatchObject({ rollout: null });
    const inWaves = fleetOf();
    inWaves.recordLoad(loadInWaves());
    for (const [fleet, waves] of [
      [inWaves, undefined],
      [loaded, []],
    ] as const) {
      expect(rolloutOfJson({ ...snapshot, fleet }, waves)).toMatchObject({ rollout: null });
    }
    const unread = rolloutOfJson({ ...snapshot, fleet: fleetOf() }, undefined);
    expect(unread).toMatchObject({ revision: null, rollout: null });
  });

  it.for(loadResults)("describes a fleet whose last load was %s", (result, { expect }) => {
    const loaded = fleetOf();
    loaded.recordLoad(load({ result, revision: "", hash: "", diagnostics: [diagnostic()] }));
    const body = fleetJson({ ...snapshot, fleet: loaded });
    expect(faultsOf("fleet", body)).toBe("");
    expect(body).toMatchObject({ desired: { result } });
  });

  it("has the closed sets of the program", ({ expect }) => {
    expect(valuesOf("status")).toEqual(zoneStatuses);
    expect(valuesOf("trigger")).toEqual(triggers);
    expect(valuesOf("reason")).toEqual(holdReasons);
    expect(valuesOf("entry.properties.result")).toEqual(historyEntryResults);
    expect(valuesOf("script_finding.properties.kind")).toEqual(findingKinds);
    const wave = valuesOf("rollout.properties.by_wave.items", "required");
    expect(wave).toEqual(["wave", ...zonesOfWave]);
  });

  it("detects an undescribed field", ({ expect }) => {
    expect(faultsOf("diagnostics", { diagnostics: [], held: null, more: 1 })).toContain(
      "additional properties",
    );
  });
});
