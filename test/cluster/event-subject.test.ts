import { describe, it } from "vitest";

import { joinCluster } from "../../src/cluster/cluster.ts";
import { coerceObject } from "../../src/syntax/json.ts";
import { SimulatedClock } from "../support/clock.ts";
import { eventPath, mapPath, startKubeApi } from "../support/kube-api.ts";
import { eventually } from "../support/processes.ts";

const state = `${mapPath}/zonewarden-state`;

describe("events with shards", () => {
  it("are about a ConfigMap that is made again where somebody removes it", async ({ expect }) => {
    await using kube = await startKubeApi();
    const made: unknown[] = [];
    kube.stored = (path, { metadata }) => {
      if (path === state) made.push(coerceObject(metadata)["uid"]);
    };
    const clock = new SimulatedClock();
    const options = {
      lease: "zonewarden",
      credentials: ["brands", "shops"],
      setUp: "",
      leaseDurationMs: 15_000,
      kubeconfig: "kubeconfig",
      owner: "us",
      service: "https://service.example",
      identity: "a",
      page: "",
    };
    const ports = {
      env: {},
      readText: () => Promise.resolve(kube.kubeconfig),
      clock: Object.assign(clock, { sinceBootMs: () => clock.monotonicMs() }),
      random: () => 0.5,
    };
    await using cluster = await joinCluster(options, ports);
    const failures: Error[] = [];
    let nth = 0;
    const events = cluster.startEvents(
      () => `id${(nth += 1)}`,
      (error) => failures.push(error),
    );
    const written = async (reason: string): Promise<unknown> => {
      events.record({ reason, type: "Normal", note: "a note" });
      await clock.advance(10_000);
      return eventually(reason, () => {
        const event = kube.objects.get(`${eventPath}/zonewarden-state.id${nth}`);
        return event?.["reason"] === reason ? event["regarding"] : undefined;
      });
    };
    const first = await written("PlanHeld");
    kube.objects.delete(state);
    const second = await written("PlanApplied");
    const object = { apiVersion: "v1", kind: "ConfigMap", name: "zonewarden-state" };
    const about = { ...object, namespace: "zonewarden" };
    expect(new Set(made).size).toBe(2);
    expect([first, second]).toEqual(made.map((uid) => ({ ...about, uid })));
    expect(failures).toEqual([]);
  });
});
