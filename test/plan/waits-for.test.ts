import { describe, it } from "vitest";

import { plan } from "../../src/plan/plan.ts";
import type { LivePolicy } from "../../src/zone/live-zone.ts";
import type { Policy } from "../../src/zone/resource.ts";
import {
  carriedOut,
  declared,
  desiredZone,
  entrypoint,
  liveException,
  liveZone,
  owner,
  policy,
} from "../support/model.ts";
import { hostA, hostAOrC, hostB, hostC, on } from "../support/planned.ts";

describe("a write waits for those that add what it takes away", () => {
  it.for<{
    readonly when: string;
    readonly given: readonly Policy[];
    readonly live: readonly LivePolicy[];
    /** Each write, and those that it waits for. */
    readonly yields: Readonly<Record<string, readonly string[]>>;
  }>([
    {
      when: "a policy is replaced by one with another key",
      given: [policy("new", on(hostA)), policy("other", on(hostB))],
      live: [carriedOut("p1", policy("old", on(hostA)))],
      yields: { "policy/new": [], "policy/other": [], "policy/old": ["policy/new"] },
    },
    {
      when: "one of two that go is on the host of one of three new ones",
      given: [
        policy("x", on(hostC)),
        policy("y", on(hostB)),
        policy("z", on(hostB, { enabled: false })),
      ],
      live: [
        carriedOut("p1", policy("old-a", on(hostA))),
        carriedOut("p2", policy("old-c", on(hostC))),
      ],
      yields: {
        "policy/x": [],
        "policy/y": [],
        "policy/z": [],
        "policy/old-a": [],
        "policy/old-c": ["policy/x"],
      },
    },
    {
      when: "one moves to the host that another leaves",
      given: [policy("a", on(hostB)), policy("z", on(hostA))],
      live: [carriedOut("p1", policy("a", on(hostA))), carriedOut("p2", policy("z", on(hostC)))],
      yields: { "policy/z": [], "policy/a": ["policy/z"] },
    },
    {
      when: "one is switched off where another is switched on, and a third elsewhere",
      given: [
        policy("off", on(hostA, { enabled: false })),
        policy("on", on(hostAOrC)),
        policy("elsewhere", on(hostB)),
      ],
      live: [
        carriedOut("p1", policy("off", on(hostA))),
        carriedOut("p2", policy("on", on(hostAOrC, { enabled: false }))),
        carriedOut("p3", policy("elsewhere", on(hostB, { enabled: false }))),
      ],
      yields: { "policy/elsewhere": [], "policy/on": [], "policy/off": ["policy/on"] },
    },
    {
      when: "one allows a source that another new one forbids, and one that no other does",
      given: [
        policy("a", on(hostA, { value: "script-src x.example y.example" })),
        policy("b", on(hostB, { value: "script-src x.example y.example" })),
        policy("n", on(hostA, { value: "script-src x.example" })),
      ],
      live: [
        carriedOut("p1", policy("a", on(hostA, { value: "script-src x.example" }))),
        carriedOut("p2", policy("b", on(hostB, { value: "script-src x.example" }))),
      ],
      yields: { "policy/n": [], "policy/a": ["policy/n"], "policy/b": [] },
    },
    {
      when: "it is unclear where one applies that goes",
      given: [policy("n", on(hostA)), policy("m", on(hostB, { value: "img-src 'self'" }))],
      live: [carriedOut("p1", policy("old", on('http.host matches "^a"')))],
      yields: { "policy/m": [], "policy/n": [], "policy/old": ["policy/n"] },
    },
    {
      when: "duplicates go, and only the words of the one that stays change",
      given: [policy("twin", { description: "New words" }), policy("other", on(hostB))],
      live: [
        carriedOut("p1", policy("twin", { description: "Old words" })),
        carriedOut("p2", policy("twin", { description: "Old words" })),
        carriedOut("p3", policy("twin", { description: "Old words" })),
        carriedOut("p4", policy("other", on(hostB, { enabled: false }))),
      ],
      yields: {
        "policy/other": [],
        "policy/twin": [],
        "policy/p2": ["policy/twin"],
        "policy/p3": ["policy/twin"],
      },
    },
  ])("when $when", ({ given, live, yields }, { expect }) => {
    const { writes, waitsFor } = plan(
      desiredZone({ policies: declared(given) }),
      liveZone({ policies: live }),
      owner,
    );
    const found = writes.map((write) => [
      write.changes.join(", "),
      waitsFor.get(write)?.flatMap(({ changes }) => changes),
    ]);
    expect(found).toEqual(Object.entries(yields));
  });

  it("settings and rules wait for nothing", ({ expect }) => {
    const { writes, waitsFor } = plan(
      desiredZone({
        settings: [{ name: "enabled", value: false }],
        policies: declared([policy("a"), policy("b", on(hostB))]),
        rules: { managed_rules: declared([]) },
      }),
      liveZone({
        settings: {
          enabled: true,
          use_cloudflare_reporting_endpoint: true,
          use_connection_url_path: false,
        },
        policies: [],
        entrypoints: {
          managed_rules: entrypoint(liveException("r1", "x", { ref: "zonewarden:x" })),
        },
      }),
      owner,
    );
    expect(writes.map((write) => waitsFor.get(write))).toEqual([[], [], [], []]);
  });
});
