import { describe, it } from "vitest";

import { writableCheck } from "../../src/desired/import/zone-text.ts";
import { type ImportedZone, importLiveZone } from "../../src/plan/import/import-zone.ts";
import { plan, type Plan } from "../../src/plan/plan.ts";
import { isAlreadyApplied } from "../../src/plan/saved/already-applied.ts";
import { confirmSaved } from "../../src/plan/saved/confirm.ts";
import { savedPlan } from "../../src/plan/saved/saved-plan.ts";
import { partsOf } from "../../src/reconcile/run/plan-zone.ts";
import { planFileText, readPlanFile } from "../../src/render/plan-file.ts";
import { coerceObjects, coerceText, type JsonObject } from "../../src/syntax/json.ts";
import { type LiveZone, rulesIn } from "../../src/zone/live-zone.ts";
import { noParts } from "../../src/zone/ports.ts";
import type { CustomRuleset, Rule } from "../../src/zone/resource.ts";
import { rulePhases } from "../../src/zone/rule-phase.ts";
import { appliedBy } from "../support/applied-writes.ts";
import { SimulatedClock } from "../support/clock.ts";
import { type Emulated, emulated, type EmulatedChoice } from "../support/emulated.ts";
import {
  customRuleset,
  block,
  declared,
  deployment,
  desiredZone,
  exception,
  liveZone,
  owner,
  readAllAt,
} from "../support/model.ts";

const whyNotWritable = writableCheck();

const entryPoint = "/rulesets/phases/http_request_firewall_custom/entrypoint";
const wire = { kind: "custom", phase: "http_request_firewall_custom" };
const theirs = { action: "log", expression: "ssl", description: "Theirs" };

function payments(more: Partial<CustomRuleset> = {}): CustomRuleset {
  return customRuleset("payments", more);
}

const hostB = 'http.host eq "b.example.com"';

/** A zone with custom rulesets, as it is declared. */
class Team {
  readonly service: Emulated;
  rulesets: readonly CustomRuleset[] | undefined;
  rules: readonly Rule[] | undefined;

  constructor(service: Emulated, rulesets?: readonly CustomRuleset[], rules?: readonly Rule[]) {
    this.service = service;
    this.rulesets = rulesets;
    this.rules = rules;
  }

  #desired(): ReturnType<typeof desiredZone> {
    const content = {
      customRulesets: this.rulesets && declared(this.rulesets),
      rules: this.rules === undefined ? {} : { custom_rules: declared(this.rules) },
    };
    return { ...desiredZone(content), zone: this.service.zone };
  }

  look(): Promise<LiveZone> {
    const { reader, zone } = this.service;
    const parts = partsOf(this.#desired().content, owner);
    return reader.readZone(zone, parts, "changed", new AbortController().signal);
  }

  async plan(ownership?: Parameters<typeof plan>[3]): Promise<Plan> {
    return plan(this.#desired(), await this.look(), owner, ownership);
  }

  /** Applies the first writes of a plan; gives the requests and what is left to do. */
  async apply(planned: Plan, count = Infinity): Promise<readonly string[]> {
    const live = await this.look();
    const { reader, writer } = this.service;
    const clock = new SimulatedClock();
    this.service.journal();
    const writes = planned.writes.slice(0, count);
    const { changes, waitsFor } = planned;
    const given = { live, changes, waitsFor, clock, reader, writer, readAt: readAllAt(0) };
    const report = await appliedBy(writes, given);
    if (report.result !== "applied") throw new Error(report.result);
    const failed = report.outcomes.filter(({ status }) => status !== "done");
    if (failed.length > 0) throw new Error(JSON.stringify(failed));
    return this.service.journal().filter((line) => !line.startsWith("GET"));
  }

  /** Applies the whole plan; afterwards nothing is left. */
  async converge(): Promise<readonly string[]> {
    const sent = await this.apply(await this.plan());
    const left = await this.plan();
    if (left.changes.length + left.writes.length > 0) throw new Error(JSON.stringify(left));
    return sent;
  }

  /** The custom rulesets of the zone as the service has them. */
  async custom(): Promise<readonly JsonObject[]> {
    const all = coerceObjects(await this.service.send("GET", "/rulesets"));
    const custom = all.filter(({ kind, phase }) => kind === "custom" && phase === wire.phase);
    return Promise.all(
      custom.map(async ({ id }) => {
        const found = await this.service.send("GET", `/rulesets/${coerceText(id)}`);
        return coerceObjects([found])[0] ?? {};
      }),
    );
  }

  async ids(): Promise<readonly string[]> {
    return (await this.custom()).map(({ id }) => coerceText(id));
  }
}

async function team(
  rulesets?: readonly CustomRuleset[],
  rules?: readonly Rule[],
  choice: EmulatedChoice = {},
): Promise<Team & AsyncDisposable> {
  const service = await emulated({ plan: "enterprise" }, choice);
  return Object.assign(new Team(service, rulesets, rules), {
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  });
}

/** What an import of all rules and custom rulesets declares. */
async function importOf({ service: { reader, zone } }: Team): Promise<ImportedZone> {
  const parts = { ...noParts, rules: rulePhases, customRulesets: { owner, keys: "any" } } as const;
  const live = await reader.readListed(zone, parts, "changed", new AbortController().signal);
  return importLiveZone(live, owner, whyNotWritable);
}

function changesIn({ changes }: Plan): readonly string[] {
  return changes.map(({ verb, key }) => `${verb} ${key}`);
}

/** The reasons of holds, and the words that tell the cases of `in_use` apart. */
function holdsIn({ holds }: Plan): readonly string[] {
  return holds.map(({ reason, message }) =>
    `${reason} ${/has the rule|is executed by the rule/.exec(message)?.[0] ?? ""}`.trim(),
  );
}

describe("a declared custom ruleset", () => {
  it("is held before it is created where the position of a rule in it names no other", async ({
    expect,
  }) => {
    const rules = [block("amounts", { position: { before: "gone" } }), block("bots")];
    await using zone = await team([payments({ rules })], [block("admin")]);
    const planned = await zone.plan();
    expect(holdsIn(planned)).toEqual(["unplaced"]);
    expect(planned.compared).toBe(4);
  });

  it("is created with its rules, and then the rule that executes it", async ({ expect }) => {
    await using zone = await team([payments()], [block("admin")]);
    const planned = await zone.plan();
    expect(changesIn(planned)).toEqual([
      "create custom_rule/admin",
      "create custom_ruleset/payments",
      "create custom_rule/payments/amounts",
      "create custom_rule/payments/bots",
    ]);
    const ofRuleset = planned.changes.find(({ key }) => key === "custom_ruleset/payments");
    expect(ofRuleset).toMatchObject({
      fields: [
        { field: "expression", after: 'http.host eq "pay.example.com"' },
        { field: "enabled", after: true },
        { field: "description", after: "Rules of the payments team" },
      ],
      effect: { direction: "strengthens", mayBreak: true },
    });
    expect(await zone.converge()).toEqual(["POST /zones/…/rulesets", "POST /zones/…/rulesets"]);
    expect(await zone.custom()).toMatchObject([
      {
        name: "payments",
        description: "Rules of the payments team [zonewarden:payments]",
        rules: [{ ref: "zonewarden:amounts" }, { ref: "zonewarden:bots" }],
      },
    ]);
    const [id] = await zone.ids();
    expect(await zone.service.send("GET", entryPoint)).toMatchObject({
      rules: [
        { ref: "zonewarden:admin" },
        { ref: "zonewarden:custom_ruleset/payments", action: "execute", action_parameters: { id } },
      ],
    });
  });

  it("is written rule by rule afterwards", async ({ expect }) => {
    await using zone = await team([payments()]);
    await zone.converge();
    zone.rulesets = [
      payments({
        rules: [block("amounts", { expression: "ssl" }), block("bots", { enabled: false })],
      }),
    ];
    const edit = await zone.plan();
    expect(edit.changes.map(({ key, effect }) => [key, effect.direction])).toEqual([
      ["custom_rule/payments/amounts", "unclear"],
      ["custom_rule/payments/bots", "weakens"],
    ]);
    expect(await zone.converge()).toEqual([
      "PATCH /zones/…/rulesets/…/rules/…",
      "PATCH /zones/…/rulesets/…/rules/…",
    ]);
    zone.rulesets = [
      payments({
        rules: [
          exception("pass", { skip: { ...exception("x").skip, phases: ["http_ratelimit"] } }),
          block("bots", { enabled: false }),
        ],
      }),
    ];
    expect(changesIn(await zone.plan())).toEqual([
      "create custom_rule/payments/pass",
      "delete custom_rule/payments/amounts",
    ]);
    await zone.converge();
    expect(await zone.custom()).toMatchObject([
      { rules: [{ ref: "zonewarden:pass" }, { ref: "zonewarden:bots" }] },
    ]);
  });

  it("is executed for other requests by one PATCH, and described by one PUT", async ({
    expect,
  }) => {
    await using zone = await team([payments()], []);
    await zone.converge();
    zone.rulesets = [payments({ expression: "true" })];
    const [wider] = (await zone.plan()).changes;
    expect(wider).toMatchObject({
      key: "custom_ruleset/payments",
      effect: { direction: "strengthens" },
    });
    expect(await zone.converge()).toEqual(["PATCH /zones/…/rulesets/…/rules/…"]);
    zone.rulesets = [payments({ expression: "true", enabled: false })];
    const [off] = (await zone.plan()).changes;
    expect(off).toMatchObject({ effect: { direction: "weakens" }, fields: [{ field: "enabled" }] });
    await zone.converge();
    zone.rulesets = [payments({ expression: "true", enabled: false, description: "Money" })];
    expect((await zone.plan()).changes).toMatchObject([
      {
        key: "custom_ruleset/payments",
        effect: { direction: "neutral" },
        fields: [{ field: "description" }],
      },
    ]);
    expect(await zone.converge()).toEqual(["PUT /zones/…/rulesets/…"]);
    zone.rulesets = [
      payments({ key: "money", was: "payments", description: "Money", enabled: true }),
    ];
    expect(changesIn(await zone.plan())).toEqual(["update custom_ruleset/money"]);
    const [id = ""] = await zone.ids();
    expect((await zone.plan()).liveKeys.get(id)).toBe("custom_ruleset/money");
    expect(await zone.converge()).toEqual([
      "PATCH /zones/…/rulesets/…/rules/…",
      "PUT /zones/…/rulesets/…",
    ]);
    expect(await zone.ids()).toEqual([id]);
    zone.rulesets = [payments({ key: "money", description: "Money" })];
    expect((await zone.plan()).writes).toEqual([]);
  });

  it("survives in a saved plan, until somebody changes it", async ({ expect }) => {
    await using zone = await team([payments()], []);
    await zone.converge();
    zone.rulesets = [
      payments({ description: "Money", rules: [block("amounts", { enabled: false })] }),
      payments({ key: "shop", description: "Shop" }),
    ];
    const live = await zone.look();
    const saved = savedPlan(await zone.plan(), live);
    expect(saved.writes.map(({ call }) => call)).toEqual([
      "create-ruleset",
      "create-rule",
      "update-ruleset",
      "delete-rule",
      "update-rule",
    ]);
    const dates = { createdAt: new Date(0), expiresAt: new Date(1) };
    const file = { owner, service: "s", revision: "r", ...dates, zones: [saved] };
    const read = readPlanFile(planFileText(file));
    const [again] = read.result === "read" ? read.file.zones : [];
    expect(again?.writes).toEqual(saved.writes);

    const confirmed = confirmSaved(saved, await zone.plan(), live);
    expect(confirmed.conflicts).toEqual([]);
    await zone.apply(await zone.plan());
    const done = await zone.look();
    expect(saved.writes.filter((write) => !isAlreadyApplied(write, done))).toEqual([]);

    const [id = ""] = await zone.ids();
    await zone.service.send("POST", `/rulesets/${id}/rules`, theirs);
    zone.rulesets = [];
    const later = await zone.look();
    const stale = savedPlan(await zone.plan(), done);
    const { conflicts } = confirmSaved(stale, await zone.plan(), later);
    expect(conflicts.map(({ call }) => call)).toContain("delete-ruleset");
  });

  it("is deleted after the rule that executes it", async ({ expect }) => {
    await using zone = await team([payments(), payments({ key: "shop", description: "Shop" })]);
    await zone.converge();
    zone.rulesets = [payments()];
    const planned = await zone.plan();
    expect(changesIn(planned)).toEqual([
      "delete custom_ruleset/shop",
      "delete custom_rule/shop/bots",
      "delete custom_rule/shop/amounts",
    ]);
    expect(planned.changes[0]).toMatchObject({
      kind: "custom_ruleset",
      effect: { direction: "weakens" },
    });
    expect(planned.deletable).toBe(6);
    expect(await zone.converge()).toEqual([
      "DELETE /zones/…/rulesets/…/rules/…",
      "DELETE /zones/…/rulesets/…",
    ]);
    expect(await zone.custom()).toMatchObject([{ name: "payments" }]);
  });

  it("is deleted only after the one that comes in its stead is executed", async ({ expect }) => {
    await using zone = await team([payments(), payments({ key: "shop", expression: hostB })]);
    await zone.converge();
    zone.rulesets = [payments({ key: "bills" }), payments({ key: "store", expression: hostB })];
    const { writes, waitsFor } = await zone.plan();
    const waits = writes
      .filter(({ call }) => call === "delete-rule")
      .map((write) => [
        write.changes[0],
        waitsFor.get(write)?.map(({ call, changes: [first] }) => `${call} ${first}`),
      ]);
    expect(waits).toEqual([
      ["custom_ruleset/payments", ["create-rule custom_ruleset/bills"]],
      ["custom_ruleset/shop", ["create-rule custom_ruleset/store"]],
    ]);
  });

  it("is not touched where no ruleset is declared", async ({ expect }) => {
    await using zone = await team([payments()], [block("admin")]);
    await zone.converge();
    zone.rulesets = undefined;
    const planned = await zone.plan();
    expect([planned.changes, planned.unmanaged, planned.holds]).toEqual([[], [], []]);
    zone.rulesets = [];
    zone.rules = undefined;
    expect(changesIn(await zone.plan())).not.toContain("delete custom_rule/admin");
    await zone.converge();
    expect(await zone.service.send("GET", entryPoint)).toMatchObject({
      rules: [{ ref: "zonewarden:admin" }],
    });
  });

  it("goes on where a run ended between two writes", async ({ expect }) => {
    await using zone = await team([payments()], []);
    await zone.apply(await zone.plan(), 1);
    expect(rulesIn((await zone.look()).entrypoints.custom_rules)).toEqual([]);
    const planned = await zone.plan();
    expect(changesIn(planned)).toEqual(["update custom_ruleset/payments"]);
    expect(planned.changes[0]).toMatchObject({ effect: { direction: "strengthens" } });
    await zone.converge();
    expect(await zone.ids()).toHaveLength(1);

    zone.rulesets = [];
    await zone.apply(await zone.plan(), 1);
    const rest = await zone.plan();
    expect(rest.changes.map(({ key, effect }) => [key, effect.direction])).toEqual([
      ["custom_ruleset/payments", "neutral"],
      ["custom_rule/payments/bots", "neutral"],
      ["custom_rule/payments/amounts", "neutral"],
    ]);
    expect(await zone.converge()).toEqual(["DELETE /zones/…/rulesets/…"]);
    expect(await zone.ids()).toEqual([]);
  });

  it("is created once, though the answer is lost", async ({ expect }) => {
    await using zone = await team([payments()], []);
    const planned = await zone.plan();
    await zone.service.fault({ fault: "lost_answer", method: "POST", count: 2 });
    await zone.apply(planned);
    expect(await zone.ids()).toHaveLength(1);
    expect((await zone.plan()).changes).toEqual([]);
  });

  it("is not that of another writer with the same name", async ({ expect }) => {
    await using zone = await team([payments()], []);
    const planned = await zone.plan();
    const other = { ...wire, name: "payments", description: "Theirs", rules: [theirs] };
    await zone.service.send("POST", "/rulesets", other);
    const [before] = await zone.custom();
    await zone.apply(planned);
    expect((await zone.plan()).writes).toEqual([]);
    const all = await zone.custom();
    expect(all).toHaveLength(2);
    expect(all.find(({ description }) => description === "Theirs")).toEqual(before);
  });
});

function at(key: string, position?: CustomRuleset["position"]): CustomRuleset {
  return payments({ key, description: key, position, rules: [] });
}

describe("the place of the rule that executes a custom ruleset", () => {
  const own = ["admin", "bots", "office"].map((key) => block(key));

  it.for<{ rulesets: readonly CustomRuleset[]; executed: string }>([
    { rulesets: [at("a"), at("b")], executed: "admin bots office a b" },
    { rulesets: [at("a", { before: "admin" }), at("b")], executed: "a admin bots office b" },
    { rulesets: [at("a"), at("b", { before: "bots" })], executed: "admin a b bots office" },
    {
      rulesets: [at("a", { after: "admin" }), at("b", { before: "office" }), at("c")],
      executed: "admin a bots b office c",
    },
  ])("is among our own rules: $executed", async ({ rulesets, executed }, { expect }) => {
    await using zone = await team(rulesets, own);
    const orderIn = async (): Promise<string> => {
      const live = await zone.look();
      return rulesIn(live.entrypoints.custom_rules)
        .map(({ ref }) => ref.replace(/^zonewarden:(custom_ruleset\/)?/, ""))
        .join(" ");
    };
    await zone.converge();
    expect(await orderIn()).toBe(executed);
    zone.rulesets = rulesets.map(({ key }) => at(key));
    await zone.converge();
    expect(await orderIn()).toBe("admin bots office a b c".slice(0, executed.length));
    zone.rulesets = rulesets;
    await zone.converge();
    expect(await orderIn()).toBe(executed);
  });
});

describe("a managed rule that deploys a custom ruleset", () => {
  it("is told, with where it is declared instead", async ({ expect }) => {
    await using zone = await team([payments(), at("shop")], []);
    await zone.converge();
    const live = await zone.look();
    const [id = ""] = await zone.ids();
    const content = {
      customRulesets: declared([payments(), at("shop")]),
      rules: {
        managed_rules: declared([deployment("mine", { ruleset: id }), deployment("owasp")]),
      },
    };
    const desired = { ...desiredZone(content), zone: zone.service.zone };
    const entrypoints = { ...live.entrypoints, managed_rules: { state: "absent" } } as const;
    const { notes } = plan(
      desired,
      { ...live, scoreRule: liveZone().scoreRule, entrypoints },
      owner,
    );
    expect(notes).toEqual([
      `managed_rule/mine deploys ${id}, which is the custom ruleset payments of the zone: declare it in custom_rulesets, which executes it`,
    ]);
  });
});

describe("trust in the versions of rulesets", () => {
  it("reads a zone by its listing, until a rule of a custom ruleset changes", async ({
    expect,
  }) => {
    await using zone = await team([payments()], []);
    await zone.converge();
    const { reader, zone: listed } = zone.service;
    const parts = {
      ...noParts,
      rules: ["custom_rules"],
      customRulesets: { owner, keys: ["payments"] },
    } as const;
    const { signal } = new AbortController();
    const first = await reader.readAnswers(listed, parts, "sweep", signal);
    const rules = first.rules?.();
    if (rules === undefined) throw new Error("no versions");
    const known = { digest: first.digest, rules };
    zone.service.journal();
    expect((await reader.readAnswers(listed, parts, "sweep", signal, known)).digest).toBe(
      known.digest,
    );
    expect(zone.service.journal()).toEqual(["GET /zones/…/rulesets?per_page=50"]);
    const [id = ""] = await zone.ids();
    await zone.service.send("POST", `/rulesets/${id}/rules`, theirs);
    const second = await reader.readAnswers(listed, parts, "sweep", signal, known);
    expect(second.digest).not.toBe(known.digest);
    expect(second.live().customRulesets?.[0]?.rules).toHaveLength(3);
  });

  it("is in one answer that shows a ruleset, though the listing before it is older", async ({
    expect,
  }) => {
    let now = new Date("2026-11-20T12:00:00Z");
    const emulatorClock = { now: () => now };
    await using zone = await team([payments()], [], { emulatorClock });
    await zone.converge();
    const [id = ""] = await zone.ids();
    now = new Date("2026-11-20T12:01:00Z");
    await zone.service.send("PUT", `/rulesets/${id}`, { description: "Taken over" });
    await zone.service.fault({ fault: "stale", seconds: 30, path: "*/rulesets", count: 1 });
    const { customRulesets } = await zone.look();
    expect(customRulesets).toMatchObject([{ id, version: "2", description: "Taken over" }]);
  });
});

describe("rules of others", () => {
  it("stay inside, with their bytes and their order", async ({ expect }) => {
    await using zone = await team([payments()]);
    await zone.converge();
    const [id = ""] = await zone.ids();
    for (const description of ["First", "Second", "Third"]) {
      const position = { before: "" };
      await zone.service.send("POST", `/rulesets/${id}/rules`, {
        ...theirs,
        description,
        position,
      });
    }
    const foreign = async (): Promise<readonly JsonObject[]> =>
      coerceObjects((await zone.custom())[0]?.["rules"]).filter(
        ({ ref }) => !coerceText(ref).startsWith(owner),
      );
    const before = await foreign();
    const planned = await zone.plan();
    expect(planned.changes).toEqual([]);
    expect(planned.unmanaged).toMatchObject([
      { kind: "custom_rule", title: "Third" },
      { kind: "custom_rule", title: "Second" },
      { kind: "custom_rule", title: "First" },
    ]);
    zone.rulesets = [payments({ rules: [block("bots", { enabled: false }), block("new")] })];
    await zone.converge();
    expect(await foreign()).toEqual(before);

    zone.rulesets = [];
    expect(holdsIn(await zone.plan())).toEqual(["in_use has the rule"]);
  });

  it("that execute it keep it from being deleted", async ({ expect }) => {
    await using zone = await team([payments()], []);
    await zone.converge();
    const [id = ""] = await zone.ids();
    const ours = coerceObjects([await zone.service.send("GET", entryPoint)])[0];
    const [execute = {}] = coerceObjects(ours?.["rules"]);
    await zone.service.send(
      "DELETE",
      `/rulesets/${coerceText(ours?.["id"])}/rules/${coerceText(execute["id"])}`,
    );
    const foreign = {
      action: "execute",
      action_parameters: { id },
      expression: "ssl",
      ref: "other:x",
    };
    await zone.service.send("POST", `/rulesets/${coerceText(ours?.["id"])}/rules`, foreign);
    zone.rulesets = [];
    expect(holdsIn(await zone.plan())).toEqual(["in_use is executed by the rule"]);
    zone.rulesets = [payments()];
    expect((await zone.plan()).holds).toMatchObject([{ reason: "already_deployed" }]);
  });

  it("and whole rulesets of others are reported, and never changed", async ({ expect }) => {
    await using zone = await team([payments()], []);
    const made = await zone.service.send("POST", "/rulesets", {
      ...wire,
      name: "Legacy",
      rules: [theirs],
    });
    const [{ id = "" } = {}] = coerceObjects([made]);
    const execute = {
      action: "execute",
      action_parameters: { id },
      expression: "true",
      description: "Runs",
    };
    await zone.service.send("PUT", entryPoint, { rules: [execute] });
    const planned = await zone.plan();
    expect(planned.unmanaged.map(({ kind, title }) => `${kind} ${title}`)).toEqual([
      "custom_rule Runs",
      "custom_ruleset Legacy",
    ]);
    await zone.converge();
    zone.rulesets = [];
    zone.rules = [];
    await zone.converge();
    expect(await zone.custom()).toEqual([made]);
  });
});

describe("a ruleset that somebody made by hand", () => {
  const byHand = {
    ...wire,
    name: "Payments",
    description: "Rules of the payments team",
    rules: [
      {
        action: "block",
        expression: block("amounts").expression,
        description: block("amounts").description,
      },
    ],
  };

  async function madeByHand(): Promise<Team & AsyncDisposable> {
    const zone = await team([payments({ rules: [block("amounts")] })], []);
    const made = await zone.service.send("POST", "/rulesets", byHand);
    const [{ id = "" } = {}] = coerceObjects([made]);
    const { expression } = payments();
    const execute = {
      action: "execute",
      action_parameters: { id },
      expression,
      description: "Run",
    };
    await zone.service.send("PUT", entryPoint, { rules: [execute] });
    return zone;
  }

  it.for([
    { list: ["rule", "Shop", "Payments"], places: ["shop", "payments"] },
    { list: ["Payments", "Shop", "theirs"], places: ["payments", "shop"] },
    { list: ["Shop", "rule", "Payments"], places: ["shop before rule", "payments"] },
    {
      list: ["Payments", "Shop", "theirs", "rule"],
      places: ["payments before rule", "shop before rule"],
    },
    {
      list: ["Shop", "rule", "theirs", "Payments", "rule 2"],
      places: ["shop before rule", "payments before rule-2"],
    },
    { list: ["Shop", "shop"], places: ["shop-2 before shop"] },
  ])(
    "is imported from $list as $places, where it is executed",
    async ({ list, places }, { expect }) => {
      await using zone = await team();
      const rules: JsonObject[] = [];
      for (const name of list) {
        if (!["Payments", "Shop"].includes(name)) {
          const ref = name === "theirs" ? { ref: "other:theirs" } : {};
          rules.push({ ...theirs, ...ref, description: name });
          continue;
        }
        const sent = { ...wire, name, description: name, rules: [theirs] };
        const [{ id = "" } = {}] = coerceObjects([
          await zone.service.send("POST", "/rulesets", sent),
        ]);
        rules.push({ ...theirs, action: "execute", action_parameters: { id }, description: name });
      }
      await zone.service.send("PUT", entryPoint, { rules });
      const { content, leftOut } = await importOf(zone);
      expect(leftOut.map(({ title }) => title)).toEqual(list.filter((name) => name === "theirs"));
      const found = content.customRulesets?.items ?? [];
      expect(
        found.map(({ key, position }) =>
          typeof position === "object"
            ? `${key} ${Object.entries(position).flat().join(" ")}`
            : key,
        ),
      ).toEqual(places);
      zone.rulesets = content.customRulesets?.items;
      zone.rules = content.rules.custom_rules?.items;
      expect((await zone.plan()).changes).toEqual([]);
    },
  );

  it("is written once beside new ones, though all answers are lost", async ({ expect }) => {
    await using zone = await madeByHand();
    const idle = { ...wire, name: "Idle", rules: [theirs] };
    await zone.service.send("POST", "/rulesets", idle);
    zone.rulesets = [
      payments({ rules: [block("amounts"), block("bots")] }),
      at("shop"),
      at("team"),
    ];
    const planned = await zone.plan();
    await zone.service.fault({ fault: "lost_answer", method: "POST", count: 9 });
    const sent = await zone.apply(planned);
    expect(sent.toSorted()).toEqual([
      "POST /zones/…/rulesets",
      "POST /zones/…/rulesets",
      "POST /zones/…/rulesets/…/rules",
      "POST /zones/…/rulesets/…/rules",
      "POST /zones/…/rulesets/…/rules",
    ]);
    expect(
      (await zone.custom()).map(({ name, rules }) => [name, coerceObjects(rules).length]),
    ).toEqual([
      ["Payments", 2],
      ["Idle", 1],
      ["shop", 0],
      ["team", 0],
    ]);
    expect((await zone.plan()).changes).toEqual([]);
  });

  it("is known with its rules where the answer of another one is lost", async ({ expect }) => {
    await using zone = await madeByHand();
    await zone.service.send("POST", "/rulesets", { ...wire, name: "Idle", rules: [theirs] });
    zone.rulesets = [payments({ rules: [block("amounts")] }), at("shop")];
    const before = await zone.look();
    const write = (await zone.plan()).writes.find(({ call }) => call === "create-ruleset");
    if (write === undefined) throw new Error("no ruleset is created");
    await zone.service.fault({ fault: "lost_answer", method: "POST", count: 1 });
    zone.service.journal();
    const { signal } = new AbortController();
    const { live } = await zone.service.writer.write(before, write, signal, signal);
    expect(zone.service.journal().filter((line) => line.endsWith("/rulesets/…"))).toHaveLength(2);
    expect(live.customRulesets?.map(({ name, rules }) => [name, rules?.length])).toEqual([
      ["Payments", 1],
      ["Idle", undefined],
      ["shop", 0],
    ]);
  });

  it("is left as it was read where somebody marks it before an answer is lost", async ({
    expect,
  }) => {
    await using zone = await madeByHand();
    await zone.service.send("POST", "/rulesets", { ...wire, name: "Idle", rules: [theirs] });
    zone.rulesets = [payments({ rules: [block("amounts")] }), at("shop")];
    const before = await zone.look();
    const write = (await zone.plan()).writes.find(({ call }) => call === "create-ruleset");
    const idle = before.customRulesets?.find(({ name }) => name === "Idle");
    if (write === undefined || idle === undefined) throw new Error("no such write or ruleset");
    const description = "Idle [zonewarden:idle]";
    await zone.service.send("PUT", `/rulesets/${idle.id}`, { description, rules: [theirs] });
    await zone.service.send("POST", "/rulesets", { ...wire, name: "New", description, rules: [] });
    await zone.service.fault({ fault: "lost_answer", method: "POST", count: 1 });
    const { signal } = new AbortController();
    const { live } = await zone.service.writer.write(before, write, signal, signal);
    expect(live.customRulesets?.map(({ name, rules }) => [name, rules?.length])).toEqual([
      ["Payments", 1],
      ["Idle", undefined],
      ["shop", 0],
    ]);
    expect(live.customRulesets?.[1]).toEqual(idle);
  });

  it("is not imported where its position would name a ruleset", async ({ expect }) => {
    await using zone = await team(
      [payments({ position: { before: "payments" } })],
      [block("payments")],
    );
    await zone.converge();
    const { content, leftOut } = await importOf(zone);
    expect(content.customRulesets).toBeUndefined();
    expect(leftOut).toMatchObject([
      { reason: 'the rule "payments" that follows it has the key of a ruleset' },
    ]);
  });

  it("is not imported beside one of ours that is not: a plan would delete that one", async ({
    expect,
  }) => {
    await using zone = await team(
      [payments({ position: { before: "payments" } }), at("shop")],
      [block("payments")],
    );
    await zone.converge();
    const { content, leftOut } = await importOf(zone);
    expect(content.customRulesets).toBeUndefined();
    expect(leftOut).toMatchObject([{}, { isFollowUp: true }]);
    expect(leftOut[0]?.reason).toContain("declaring the others would delete it");
  });

  it("is imported, with the rule that executes it", async ({ expect }) => {
    await using zone = await madeByHand();
    await zone.service.send("POST", "/rulesets", { ...wire, name: "Idle", rules: [theirs] });
    const { content, leftOut } = await importOf(zone);
    expect(leftOut).toEqual([]);
    expect(content.rules).toEqual({});
    expect(content.customRulesets?.items).toMatchObject([
      {
        key: "rules-of-the-payments-team",
        description: "Rules of the payments team",
        expression: payments().expression,
        rules: [{ action: "block", expression: block("amounts").expression }],
      },
    ]);
    zone.rulesets = content.customRulesets?.items;
    expect((await zone.plan()).changes).toEqual([]);
  });

  it.for<{ what: string; given: Partial<CustomRuleset>; sent: readonly string[] }>([
    {
      what: "a rule inside",
      given: { rules: [block("amounts", { enabled: false })] },
      sent: ["POST /zones/…/rulesets/…/rules"],
    },
    {
      what: "what it is executed for",
      given: { expression: "ssl" },
      sent: ["PATCH /zones/…/rulesets/…/rules/…"],
    },
  ])("is the declared one where $what was edited before it is adopted", async (row, { expect }) => {
    await using zone = await madeByHand();
    const [id] = await zone.ids();
    zone.rulesets = [payments({ rules: [block("amounts")], ...row.given })];
    expect(await zone.converge()).toEqual(row.sent);
    expect(await zone.ids()).toEqual([id]);
    expect((await zone.custom())[0]).toMatchObject({ description: byHand.description });
  });

  it("is the declared one that is equal, of two with its description", async ({ expect }) => {
    await using zone = await madeByHand();
    const [equal = ""] = await zone.ids();
    const other = { ...byHand, name: "Other", rules: [theirs] };
    const [{ id = "" } = {}] = coerceObjects([await zone.service.send("POST", "/rulesets", other)]);
    const rules = [id, equal].map((each) => ({
      action: "execute",
      action_parameters: { id: each },
      expression: payments().expression,
    }));
    await zone.service.send("PUT", entryPoint, { rules });
    const adopting = await zone.plan({ adopt: true, rules: [] });
    expect(adopting.changes).toMatchObject([{ key: "custom_ruleset/payments", id: equal }]);
  });

  it("is ours again where only its description was replaced", async ({ expect }) => {
    await using zone = await team([payments()], []);
    await zone.converge();
    const [made = {}] = await zone.custom();
    const [id = ""] = await zone.ids();
    const { name = "", rules = [] } = made;
    const edited = {
      name,
      rules,
      description: "Edited by hand",
      kind: "custom",
      phase: wire.phase,
    };
    await zone.service.send("PUT", `/rulesets/${id}`, edited);
    expect(changesIn(await zone.plan())).toEqual(["update custom_ruleset/payments"]);
    expect(await zone.converge()).toEqual(["PUT /zones/…/rulesets/…"]);
    expect(await zone.custom()).toMatchObject([{ id, description: made["description"] }]);
  });

  it("is the declared one if it is equal, and marked where it is adopted", async ({ expect }) => {
    await using zone = await madeByHand();
    const planned = await zone.plan();
    expect(planned.changes).toEqual([]);
    expect(planned.unowned.map(({ key }) => key).toSorted()).toEqual([
      "custom_rule/payments/amounts",
      "custom_ruleset/payments",
    ]);
    const adopting = await zone.plan({ adopt: true, rules: [] });
    expect(adopting.changes).toMatchObject([
      { key: "custom_ruleset/payments", adopted: true, fields: [{ field: "owner" }] },
    ]);
    expect(await zone.apply(adopting)).toEqual(["PUT /zones/…/rulesets/…"]);
    const rules = planned.unowned
      .filter(({ kind }) => kind === "custom_rule")
      .map(({ id, ref }) => ({ kind: "custom_rule", id, ref, key: "payments/amounts" }) as const);
    const adopted = await zone.plan({ adopt: true, rules });
    expect([adopted.changes, adopted.unowned, adopted.adoptedRules]).toEqual([[], [], rules]);
    zone.rulesets = [payments({ rules: [block("amounts", { enabled: false })] })];
    expect(changesIn(await zone.plan({ adopt: true, rules }))).toEqual([
      "update custom_rule/payments/amounts",
    ]);
    zone.rulesets = [];
    const gone = await zone.plan({ adopt: true, rules });
    expect(changesIn(gone)).toEqual([
      "delete custom_ruleset/payments",
      "delete custom_rule/payments/amounts",
    ]);
    expect(gone.holds).toMatchObject([{ reason: "adopted_delete" }]);
  });
});
