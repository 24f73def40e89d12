import { describe, it } from "vitest";

import { joinCluster } from "../../src/cluster/cluster.ts";
import { workWhileLeading } from "../../src/daemon/leadership.ts";
import { systemClock } from "../../src/host/clock.ts";
import type { JsonObject } from "../../src/syntax/json.ts";
import { isAborted, type StopSignals } from "../../src/zone/signals.ts";
import { leasePath, startKubeApi } from "../support/kube-api.ts";
import { book } from "../support/log-book.ts";

const never = new AbortController().signal;

function heldBy(holderIdentity: string): (object: JsonObject) => JsonObject {
  return (object) => ({ ...object, spec: { holderIdentity, leaseDurationSeconds: 1 } });
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

describe("work under a Lease", () => {
  it("that ends with the loss of the Lease begins again with the Lease", async ({ expect }) => {
    await using kube = await startKubeApi();
    const options = {
      lease: "zonewarden",
      credentials: undefined,
      setUp: "",
      leaseDurationMs: 3_000,
      kubeconfig: "kubeconfig",
      owner: "us",
      service: "https://service.example",
      identity: "a",
      page: "",
    };
    await using cluster = await joinCluster(options, {
      env: {},
      readText: () => Promise.resolve(kube.kubeconfig),
      clock: { ...systemClock, sinceBootMs: () => systemClock.monotonicMs() },
      random: () => 0.5,
    });
    const { logger, lines } = book();
    const ended = new AbortController();
    let begun = 0;
    const work = async (_store: unknown, { stop }: StopSignals): Promise<void> => {
      begun += 1;
      if (begun > 1) return ended.abort();
      kube.edit(leasePath, heldBy("b"));
      await untilAborted(stop);
      kube.edit(leasePath, heldBy(""));
      throw stop.reason;
    };
    const ports = {
      cluster,
      logger,
      clock: systemClock,
      events: undefined,
      work,
      lost: () => undefined,
    };
    await workWhileLeading(ports, { stop: ended.signal, abort: never });
    expect(begun).toBe(2);
    expect(isAborted(ended.signal)).toBe(true);
    expect(lines().map(({ msg }) => msg)).toContain("leadership lost");
  });
});
