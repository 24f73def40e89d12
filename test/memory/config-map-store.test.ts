import { randomBytes } from "node:crypto";

import { describe, it } from "vitest";

import { configMapsOf } from "../../src/cluster/config-maps.ts";
import { createKubeClient, type KubeClient } from "../../src/cluster/kube-client.ts";
import { systemClock } from "../../src/host/clock.ts";
import { openConfigMapStore } from "../../src/memory/config-maps/config-map-store.ts";
import { stateMapNames } from "../../src/memory/config-maps/state-maps.ts";
import type { ConfigMaps } from "../../src/memory/config-maps/stored-map.ts";
import type { StateStore } from "../../src/memory/state-store.ts";
import { coerceObject, coerceText } from "../../src/syntax/json.ts";
import { SimulatedClock } from "../support/clock.ts";
import { type KubeApi, mapPath, startKubeApi } from "../support/kube-api.ts";
import { eventually } from "../support/processes.ts";

const writer = { owner: "us", service: "https://service.example" };

/** A cluster, and stores in it that processes open one after the other. */
class Stage implements AsyncDisposable {
  readonly kube: KubeApi;
  readonly clock = new SimulatedClock();
  readonly told: string[] = [];
  readonly #client: KubeClient;
  holder = "";
  readonly maps: ConfigMaps;

  constructor(kube: KubeApi) {
    this.kube = kube;
    const secrets = { ca: "", certificate: "", key: "", token: "kube-token" };
    const access = { server: kube.url, namespace: "zonewarden", secrets: async () => secrets };
    this.#client = createKubeClient(access, systemClock);
    this.maps = configMapsOf(this.#client, { "app.kubernetes.io/name": "zonewarden" });
  }

  static async start(): Promise<Stage> {
    return new Stage(await startKubeApi());
  }

  /** Opens the state as the process that holds the Lease from now on. */
  open(identity: string, owner = writer.owner): Promise<StateStore> {
    this.holder = identity;
    return openConfigMapStore("zonewarden-state", {
      maps: this.maps,
      clock: this.clock,
      writer: { ...writer, owner, identity, isHeld: () => this.holder === identity },
      onFailure: ({ message }) => this.told.push(message),
      onRecovery: () => this.told.push("recovered"),
    });
  }

  names(): readonly string[] {
    return [...this.kube.objects.keys()].map((path) => path.replace(`${mapPath}/`, ""));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client[Symbol.asyncDispose]();
    await this.kube[Symbol.asyncDispose]();
  }
}

const head = `${mapPath}/zonewarden-state`;

describe("a state in ConfigMaps", () => {
  it("is what the process before left", async ({ expect }) => {
    await using stage = await Stage.start();
    const first = await stage.open("a");
    expect(first.opened).toEqual({ result: "empty" });
    first.set("zone/a", "1");
    first.set("zone/b", "2");
    first.set("drift/a", "ü");
    first.set("zone/b", undefined);
    await first[Symbol.asyncDispose]();
    const second = await stage.open("b");
    expect(second.opened).toEqual({ result: "loaded", entries: 2 });
    expect(second.get("zone/a")).toBe("1");
    expect(second.get("zone/b")).toBeUndefined();
    expect(second.get("drift/a")).toBe("ü");
    expect(second.keys("zone/")).toEqual(["zone/a"]);
    expect(stage.names()).toEqual(["zonewarden-state", "zonewarden-state-a0"]);
  });

  it("is there, and empty, before anything is stored", async ({ expect }) => {
    await using stage = await Stage.start();
    await stage.open("a");
    expect(stage.names()).toEqual(["zonewarden-state"]);
    const second = await stage.open("b");
    expect(second.opened).toEqual({ result: "empty" });
    second.set("zone/a", "1");
    await second.flush();
    expect((await stage.open("c")).opened).toEqual({ result: "loaded", entries: 1 });
  });

  it("of many megabytes is spread over objects that Kubernetes accepts", async ({ expect }) => {
    await using stage = await Stage.start();
    const first = await stage.open("a");
    const texts = Array.from({ length: 30 }, () => randomBytes(70_000).toString("base64"));
    for (const [nth, text] of texts.entries()) first.set(`file/${nth}`, text);
    expect(await first.flush()).toBe(true);
    const sizes = [...stage.kube.objects.values()].map(({ binaryData = {} }) => {
      const packed = coerceText(coerceObject(binaryData)["state"]);
      return Buffer.from(packed, "base64").length;
    });
    expect(Math.max(...sizes)).toBeLessThanOrEqual(900_000);
    expect(stage.names()).toContain("zonewarden-state-a2");
    expect(stateMapNames("zonewarden-state")).toEqual(expect.arrayContaining([...stage.names()]));
    const second = await stage.open("b");
    expect(texts.every((text, nth) => second.get(`file/${nth}`) === text)).toBe(true);
  });

  it("of many megabytes makes runs wait before their first write, and stores what they wait for at once", async ({
    expect,
  }) => {
    await using stage = await Stage.start();
    const store = await stage.open("a");
    store.set("file/a", randomBytes(2_000_000).toString("base64"));
    expect(await store.flush()).toBe(true);
    const written: boolean[] = [];
    for (const zone of ["a", "b", "c"]) {
      store.set(`applied/${zone}`, "1");
      void store.flush().then((isWritten) => written.push(isWritten));
    }
    await eventually("the runs wait", () => stage.clock.sleeping === 1 || undefined);
    const before = JSON.stringify([...stage.kube.objects]);
    await stage.clock.advance(1_000);
    expect(JSON.stringify([...stage.kube.objects])).toBe(before);
    // A second for each megabyte.
    await stage.clock.advance(1_000);
    await eventually("they go on", () => written.length === 3 || undefined);
    expect(written).toEqual([true, true, true]);
    const next = await stage.open("b");
    expect(next.keys("applied/")).toHaveLength(3);
  });

  it("that no ConfigMaps can hold is said, and stays in memory", async ({ expect }) => {
    await using stage = await Stage.start();
    const store = await stage.open("a");
    store.set("file/a", randomBytes(8_000_000).toString("base64"));
    expect(await store.flush()).toBe(false);
    expect(store.status.status).toBe("failing");
    expect(stage.told).toEqual([expect.stringContaining("8 ConfigMaps hold less")]);
    store.set("file/a", undefined);
    expect(await store.flush()).toBe(true);
    expect(store.status.status).toBe("ok");
  });

  it("is written again and again without a request about what did not change", async ({
    expect,
  }) => {
    await using stage = await Stage.start();
    const store = await stage.open("a");
    store.set("zone/a", "1");
    await store.flush();
    const asked = stage.kube.seen.length;
    store.set("zone/a", "1");
    await store.flush();
    expect(stage.kube.seen).toHaveLength(asked);
    for (let nth = 0; nth < 5; nth += 1) {
      store.set("zone/a", `${nth}`);
      await store.flush();
    }
    expect((await stage.open("b")).get("zone/a")).toBe("4");
  });

  it("that a crash interrupted is the one before, whole", async ({ expect }) => {
    await using stage = await Stage.start();
    const first = await stage.open("a");
    first.set("zone/a", "before");
    await first.flush();
    stage.kube.fault = (method, path) =>
      method === "PUT" && path === head ? { status: 500 } : undefined;
    first.set("zone/a", "after");
    expect(await first.flush()).toBe(false);
    stage.kube.fault = () => undefined;
    expect((await stage.open("b")).get("zone/a")).toBe("before");
  });

  it("is not overwritten by a process that lost the Lease", async ({ expect }) => {
    await using stage = await Stage.start();
    const stale = await stage.open("a");
    stale.set("zone/a", "old");
    await stale.flush();
    const next = await stage.open("b");
    next.set("zone/a", "new");
    await next.flush();
    stale.set("zone/a", "stale");
    expect(await stale.flush()).toBe(false);
    // And where it does not know yet that it lost it.
    stage.holder = "a";
    expect(await stale.flush()).toBe(false);
    expect((await stage.open("c")).get("zone/a")).toBe("new");
  });

  it.for([
    { what: "a chunk", path: `${head}-a0` },
    { what: "the head", path: head },
  ])(
    "of which somebody removes $what while it is used is written anew",
    async ({ path }, { expect }) => {
      await using stage = await Stage.start();
      const store = await stage.open("a");
      for (const text of ["1", "2"]) {
        store.set("zone/a", text);
        await store.flush();
      }
      stage.kube.objects.delete(path);
      store.set("zone/a", "3");
      expect(await store.flush()).toBe(true);
      expect((await stage.open("b")).get("zone/a")).toBe("3");
    },
  );

  it.for([
    { what: "a chunk is gone", path: `${head}-a0`, edit: undefined, reason: "damaged" },
    { what: "the head is gone", path: head, edit: undefined, reason: "damaged" },
    {
      what: "a chunk is another one",
      path: `${head}-a0`,
      edit: { binaryData: { state: Buffer.from("other").toString("base64") } },
      reason: "damaged",
    },
    { what: "the head says nonsense", path: head, edit: { data: { set: "z" } }, reason: "damaged" },
    {
      what: "the head is not ours",
      path: head,
      edit: { data: { format: "x" } },
      reason: "foreign",
    },
    { what: "it is newer", path: head, edit: { data: { version: "2" } }, reason: "newer" },
    { what: "its owner is another", path: head, edit: { data: { owner: "x" } }, reason: "foreign" },
  ])(
    "counts as lost where $what, and is written anew",
    async ({ path, edit, reason }, { expect }) => {
      await using stage = await Stage.start();
      const first = await stage.open("a");
      first.set("zone/a", "1");
      await first.flush();
      if (edit === undefined) stage.kube.objects.delete(path);
      else {
        stage.kube.edit(path, (object) => ({
          ...object,
          ...edit,
          ...("data" in edit ? { data: { ...coerceObject(object["data"]), ...edit.data } } : {}),
        }));
      }
      const second = await stage.open("b");
      expect(second.opened).toMatchObject({ result: "lost", reason });
      expect(second.get("zone/a")).toBeUndefined();
      second.set("zone/a", "2");
      expect(await second.flush()).toBe(true);
      expect((await stage.open("c")).get("zone/a")).toBe("2");
    },
  );

  it.for([
    { what: "no permission", fault: { status: 403, message: "forbidden" } },
    { what: "a failure", fault: { status: 500 } },
    { what: "nonsense", fault: { body: "<html>" } },
    { what: "another kind", fault: { body: '{"kind":"Secret"}' } },
  ])("is not taken for empty where the answer is $what", async ({ fault }, { expect }) => {
    await using stage = await Stage.start();
    stage.kube.fault = () => fault;
    await expect(stage.open("a")).rejects.toThrow("ConfigMap zonewarden-state");
  });

  it("goes on after the API server failed, and says both once", async ({ expect }) => {
    await using stage = await Stage.start();
    const store = await stage.open("a");
    stage.kube.fault = () => ({ status: 503 });
    store.set("zone/a", "1");
    await store.flush();
    await store.flush();
    stage.kube.fault = () => undefined;
    expect(await store.flush()).toBe(true);
    expect(stage.told).toEqual([expect.stringContaining("503"), "recovered"]);
    expect((await stage.open("b")).get("zone/a")).toBe("1");
  });
});
