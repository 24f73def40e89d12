import { describe, it } from "vitest";

import { summaryOf } from "../../src/plan/change.ts";
import { plan } from "../../src/plan/plan.ts";
import type { LivePolicy } from "../../src/zone/live.ts";
import type { Policy } from "../../src/zone/resource.ts";
import {
  carriedOut,
  declared,
  deployment,
  desiredZone,
  entrypoint,
  exception,
  liveDeployment,
  liveException,
  liveRule,
  liveZone,
  owner,
  policy,
} from "../support/model.ts";

const hostA = 'http.host eq "a.example"';
const hostB = 'http.host eq "b.example"';
const hostC = 'http.host eq "c.example"';
const hostAOrC = 'http.host in {"a.example" "c.example"}';

function steps(policies: readonly Policy[], live: readonly LivePolicy[]): readonly string[] {
  const { changes, obstacles } = plan(
    desiredZone({ policies: declared(policies) }),
    liveZone({ policies: live }),
    owner,
  );
  return [...changes.map(summaryOf), ...obstacles.map(({ code }) => code)];
}

function on(expression: string, more: Partial<Policy> = {}): Partial<Policy> {
  return { expression, action: "allow", ...more };
}

describe("the order of changes", () => {
  it("goes from what strengthens to what weakens, and deletes last", ({ expect }) => {
    const { changes, writes } = plan(
      desiredZone({
        settings: [{ name: "enabled", value: false }],
        policies: declared([
          policy("new", { action: "allow" }),
          policy("off", { enabled: false }),
          policy("on"),
          policy("words", { description: "Other words" }),
        ]),
        rules: declared([exception("uploads")]),
      }),
      liveZone({
        settings: {
          enabled: true,
          use_cloudflare_reporting_endpoint: true,
          use_connection_url_path: false,
        },
        policies: [
          carriedOut("p0", policy("gone", { action: "allow" })),
          carriedOut("p1", policy("off")),
          carriedOut("p2", policy("on"), { enabled: false }),
          carriedOut("p3", policy("words")),
        ],
        entrypoint: entrypoint(),
      }),
      owner,
    );
    expect(changes.map((each) => `${summaryOf(each)} ${each.effect.direction}`)).toEqual([
      "+ policy/new strengthens",
      "~ policy/on (enabled) strengthens",
      "~ policy/words (description) neutral",
      "+ rule/uploads weakens",
      "~ setting/enabled (value) weakens",
      "~ policy/off (enabled) weakens",
      "- policy/gone weakens",
    ]);
    expect(writes.flatMap((write) => write.changes)).toEqual(changes.map(({ key }) => key));
  });

  it.for<{
    readonly when: string;
    readonly given: readonly Policy[];
    readonly live: readonly LivePolicy[];
    readonly yields: readonly string[];
  }>([
    {
      when: "one moves to the host that another leaves",
      given: [policy("a", on(hostB)), policy("z", on(hostA))],
      live: [carriedOut("p1", policy("a", on(hostA))), carriedOut("p2", policy("z", on(hostC)))],
      yields: ["~ policy/z (expression)", "~ policy/a (expression)"],
    },
    {
      when: "two swap their hosts",
      given: [policy("a", on(hostB)), policy("z", on(hostA))],
      live: [carriedOut("p1", policy("a", on(hostA))), carriedOut("p2", policy("z", on(hostB)))],
      yields: ["~ policy/a (expression)", "~ policy/z (expression)", "GAP"],
    },
    {
      when: "two swap their hosts, but neither is in force",
      given: [
        policy("a", on(hostB, { enabled: false })),
        policy("z", on(hostA, { enabled: false })),
      ],
      live: [
        carriedOut("p1", policy("a", on(hostA, { enabled: false }))),
        carriedOut("p2", policy("z", on(hostB, { enabled: false }))),
      ],
      yields: ["~ policy/a (expression)", "~ policy/z (expression)"],
    },
    {
      when: "two on one host change the same source for another",
      given: [
        policy("a", on(hostA, { value: "script-src new.example" })),
        policy("z", on(hostA, { value: "script-src new.example" })),
      ],
      live: [
        carriedOut("p1", policy("a", on(hostA, { value: "script-src old.example" }))),
        carriedOut("p2", policy("z", on(hostA, { value: "script-src old.example" }))),
      ],
      yields: ["~ policy/a (value)", "~ policy/z (value)"],
    },
    {
      when: "one takes over a directive that another gives up",
      given: [
        policy("a", on(hostA, { value: "img-src 'self'" })),
        policy("z", on(hostA, { value: "script-src 'self'" })),
      ],
      live: [
        carriedOut("p1", policy("a", on(hostA, { value: "script-src 'self'" }))),
        carriedOut("p2", policy("z", on(hostA, { value: "font-src 'self'" }))),
      ],
      yields: ["~ policy/z (value)", "~ policy/a (value)"],
    },
    {
      when: "one takes over by a directive that another one falls back to",
      given: [
        policy("a", on(hostA, { value: "img-src 'self'" })),
        policy("z", on(hostA, { value: "child-src 'self'" })),
      ],
      live: [
        carriedOut("p1", policy("a", on(hostA, { value: "frame-src 'self'" }))),
        carriedOut("p2", policy("z", on(hostA, { value: "font-src 'self'" }))),
      ],
      yields: ["~ policy/z (value)", "~ policy/a (value)"],
    },
    {
      when: "one moves to the host on which another lets in more",
      given: [
        policy("a", on(hostA, { value: "script-src x.example y.example" })),
        policy("z", on(hostA, { value: "script-src x.example" })),
      ],
      live: [
        carriedOut("p1", policy("a", on(hostA, { value: "script-src x.example w.example" }))),
        carriedOut("p2", policy("z", on(hostC, { value: "script-src x.example" }))),
      ],
      yields: ["~ policy/z (expression)", "~ policy/a (value)"],
    },
    {
      when: "one selects more and lets in something that another does not mind",
      given: [
        policy("a", on(hostAOrC, { value: "script-src y.example" })),
        policy("z", on(hostA, { value: "script-src r.example" })),
      ],
      live: [
        carriedOut("p1", policy("a", on(hostA, { value: "script-src x.example" }))),
        carriedOut("p2", policy("z", on(hostA, { value: "script-src q.example" }))),
      ],
      yields: ["~ policy/a (expression, value)", "~ policy/z (value)"],
    },
    {
      when: "one leaves a host on which another begins to mind something",
      given: [
        policy("a", on(hostC, { value: "script-src y.example" })),
        policy("z", on(hostA, { value: "script-src r.example" })),
      ],
      live: [
        carriedOut("p1", policy("a", on(hostAOrC, { value: "script-src x.example" }))),
        carriedOut("p2", policy("z", on(hostA, { value: "script-src q.example" }))),
      ],
      yields: ["~ policy/z (value)", "~ policy/a (expression, value)"],
    },
    {
      when: "it cannot be told whether their pages meet",
      given: [policy("a", on(hostB)), policy("z", on('ip.src.country eq "DE"'))],
      live: [
        carriedOut("p1", policy("a", on('ip.src.country eq "DE"'))),
        carriedOut("p2", policy("z", on(hostC))),
      ],
      yields: ["~ policy/z (expression)", "~ policy/a (expression)"],
    },
    {
      when: "they change on different hosts",
      given: [
        policy("a", on(hostA, { value: "img-src 'self'" })),
        policy("z", on(hostB, { value: "script-src 'self'" })),
      ],
      live: [
        carriedOut("p1", policy("a", on(hostA, { value: "script-src 'self'" }))),
        carriedOut("p2", policy("z", on(hostB, { value: "img-src 'self'" }))),
      ],
      yields: ["~ policy/a (value)", "~ policy/z (value)"],
    },
  ])("of policies when $when", ({ given, live, yields }, { expect }) => {
    expect(steps(given, live)).toEqual(yields);
  });

  it("names the policies that no order makes safe, and what to do", ({ expect }) => {
    const { obstacles } = plan(
      desiredZone({ policies: declared([policy("a", on(hostB)), policy("z", on(hostA))]) }),
      liveZone({
        policies: [
          carriedOut("p1", policy("a", on(hostA))),
          carriedOut("p2", policy("z", on(hostB))),
        ],
      }),
      owner,
    );
    expect(obstacles).toEqual([
      {
        code: "GAP",
        message:
          "policy/a gives up what policy/z takes over, and the other way round: between the two requests some pages " +
          "would be less protected than before and after; change them one after the other",
      },
    ]);
  });
});

describe("the effect of a rule's place", () => {
  const skip = liveException("s1", "x", { ref: "zonewarden:x" });
  const owasp = liveDeployment("r1", { ref: "zonewarden:owasp", description: "OWASP" });
  const x = exception("x");
  const core = deployment("owasp", { description: "OWASP" });

  it.for([
    {
      when: "an exception moves in front of a deployment",
      rules: [x, core],
      live: entrypoint(owasp, skip),
      yields: [
        ["weakens", "spares requests from OWASP"],
        ["weakens", "zonewarden:x spares requests from it"],
      ],
    },
    {
      when: "an exception moves behind a deployment",
      rules: [core, x],
      live: entrypoint(skip, owasp),
      yields: [
        ["strengthens", "no exception between it and zonewarden:x any more"],
        ["strengthens", "no exception between it and OWASP any more"],
      ],
    },
    {
      when: "two exceptions change places",
      rules: [exception("y"), x],
      live: entrypoint(skip, liveException("s2", "y", { ref: "zonewarden:y" })),
      yields: [
        ["neutral", ""],
        ["neutral", ""],
      ],
    },
    {
      when: "a disabled exception moves",
      rules: [exception("x", { enabled: false }), core],
      live: entrypoint(owasp, liveException("s1", "x", { ref: "zonewarden:x", enabled: false })),
      yields: [
        ["neutral", ""],
        ["neutral", ""],
      ],
    },
    {
      when: "an exception moves in front of somebody else's rule",
      rules: [x, core],
      live: entrypoint(owasp, liveRule("f1", { action: "log", description: "Watch" }), skip),
      yields: [
        ["weakens", "spares requests from OWASP; spares requests from Watch"],
        ["weakens", "zonewarden:x spares requests from it"],
      ],
    },
  ])("when $when", ({ rules, live, yields }, { expect }) => {
    const { changes } = plan(
      desiredZone({ rules: declared(rules) }),
      liveZone({ entrypoint: live }),
      owner,
    );
    expect(changes.map(({ effect }) => [effect.direction, effect.reasons.join("; ")])).toEqual(
      yields,
    );
  });
});
