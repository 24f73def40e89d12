import { basePath } from "../../../src/api/wire.ts";
import type {
  EmulatedPolicy,
  EmulatedRule,
  EmulatedRuleset,
  EmulatedZone,
} from "../../../src/emulator/state.ts";
import type { JsonObject } from "../../../src/syntax/json.ts";
import { type RulePhase, rulePhases } from "../../../src/zone/rule-phase.ts";
import type { DeclaredRuleset, DeclaredZones } from "../declared.ts";
import {
  type Edit,
  isPhaseEdit,
  isRuleEdit,
  isRulesetEdit,
  type PhaseEdit,
  type PolicyEdit,
  type RuleEdit,
  type RulesetEdit,
} from "../disturbances.ts";
import {
  customRulesetsOf,
  entryPointOf,
  foreignRulesIn,
  keyOfMarked,
  keyOfRule,
  refsMissing,
  rulesOf,
  wirePhases,
} from "../invariants/oracle.ts";
import type { Ledger, SentRequest } from "../ledger.ts";
import { dashboardToken } from "../stories.ts";
import type { InProcessService } from "./in-process-service.ts";
import type { SimulatedTime } from "./simulated-time.ts";

const policiesPath = "page_shield/policies";

/** Somebody in the dashboard, who does what the service allows. */
export class Editor {
  readonly #service: InProcessService;
  readonly #ledger: Ledger;
  readonly #time: SimulatedTime;

  constructor(service: InProcessService, ledger: Ledger, time: SimulatedTime) {
    this.#service = service;
    this.#ledger = ledger;
    this.#time = time;
  }

  /** Edits a zone, just before a request of it arrives. Where there is nothing to edit, nothing happens. */
  edit(edit: Edit, name: string, request: SentRequest): void {
    const { part, number } = request;
    const zone = this.#service.zoneNamed(name);
    const phase = rulePhases.find((each) => each === part) ?? rulePhases[number % 3];
    if (isRuleEdit(edit)) this.#editRules(edit, zone);
    else if (isRulesetEdit(edit)) this.#editRuleset(edit, zone, request);
    else if (isPhaseEdit(edit)) this.#editPhase(edit, zone, phase ?? "custom_rules");
    else this.#editPageShield(edit, zone);
    this.#ledger.edited(this.#time.elapsed, zone, this.#service.zoneNamed(name));
  }

  /** Adds the rules of others that positions name, where they are gone, and takes away what keeps rulesets from being deleted. */
  restore(declared: DeclaredZones): void {
    for (const [name, { rules, rulesets = [] }] of Object.entries(declared)) {
      const before = this.#service.zoneNamed(name);
      for (const phase of rulePhases) {
        const deployed = phase === "custom_rules" ? rulesets : [];
        const list = [...(rules[phase] ?? []), ...deployed];
        this.#addMissing(before, phase, entryPointOf(before, phase), list);
      }
      for (const ruleset of rulesets) this.#restoreRuleset(before, ruleset);
      for (const ruleset of surplusIn(before, rulesets)) {
        for (const { id } of foreignRulesIn(ruleset)) {
          this.#call(before, "DELETE", `rulesets/${ruleset.id}/rules/${id}`);
        }
      }
      this.#ledger.edited(this.#time.elapsed, before, this.#service.zoneNamed(name));
    }
  }

  #restoreRuleset(zone: EmulatedZone, { key, description, rules }: DeclaredRuleset): void {
    const live = customRulesetsOf(zone).find((each) => keyOfMarked(each) === key);
    const missing = refsMissing([], rules);
    if (live !== undefined) this.#addMissing(zone, "custom_rules", live, rules);
    else if (missing.length > 0) {
      this.#call(zone, "POST", "rulesets", {
        name: key,
        kind: "custom",
        phase: wirePhases.custom_rules,
        description: `${description} [zonewarden:${key}]`,
        rules: rulesOfOthers("custom_rules", missing),
      });
    }
  }

  #addMissing(
    zone: EmulatedZone,
    phase: RulePhase,
    ruleset: EmulatedRuleset | undefined,
    declared: Parameters<typeof refsMissing>[1],
  ): void {
    const rules = ruleset?.rules ?? [];
    const added = rulesOfOthers(phase, refsMissing(rules, declared));
    if (added.length === 0) return;
    if (ruleset === undefined) this.#putRules(zone, added, phase);
    else {
      for (const rule of added) this.#call(zone, "POST", `rulesets/${ruleset.id}/rules`, rule);
    }
  }

  #editPageShield(edit: PolicyEdit, zone: EmulatedZone): void {
    const create = (policy: object): void => this.#call(zone, "POST", policiesPath, policy);
    if (edit === "create_policy") create(newPolicy("Somebody's"));
    else if (edit === "forge_mark") create(newPolicy("Forged [zonewarden:checkout]"));
    else if (edit === "settings_off") this.#call(zone, "PUT", "page_shield", { enabled: false });
    else {
      const ours = zone.policies.find((policy) => keyOfMarked(policy) !== undefined);
      if (ours !== undefined) this.#editPolicy(edit, zone, ours);
    }
  }

  #editPolicy(
    edit: Exclude<PolicyEdit, "create_policy" | "forge_mark" | "settings_off">,
    zone: EmulatedZone,
    { id, ...policy }: EmulatedPolicy,
  ): void {
    const at = `${policiesPath}/${id}`;
    switch (edit) {
      case "edit_policy":
        this.#call(zone, "PUT", at, { ...policy, value: "script-src *" });
        return;
      case "delete_policy":
        this.#call(zone, "DELETE", at);
        return;
      case "take_mark_off":
        this.#call(zone, "PUT", at, { ...policy, description: "Taken over by somebody" });
        return;
      case "duplicate_policy":
        this.#call(zone, "POST", policiesPath, policy);
    }
  }

  #editRules(edit: RuleEdit, zone: EmulatedZone): void {
    const rules = rulesOf(zone, "managed_rules");
    const ours = rules.find((rule) => keyOfRule(rule) !== undefined);
    switch (edit) {
      case "add_rule":
        this.#putRules(zone, [...rules, newRule(rules.length)]);
        return;
      case "edit_rule":
        this.#putRules(
          zone,
          rules.map((rule) => (rule === ours ? { ...rule, enabled: false } : rule)),
        );
        return;
      case "delete_rule":
        this.#putRules(
          zone,
          rules.filter((rule) => rule !== ours),
        );
        return;
      case "reorder_rules":
        this.#putRules(zone, rules.toReversed());
        return;
      case "replace_entry_point":
        this.#putRules(zone, [newRule(rules.length)]);
        return;
      case "move_managed": {
        const moved = rules.find((rule) => rule.action === "execute" && keyOfRule(rule));
        if (moved === undefined) return;
        const { id: _, ref: __, ...content } = moved;
        const others = rules.filter((rule) => rule !== moved);
        this.#putRules(zone, [...others, { ...content, description: "Moved by somebody" }]);
        return;
      }
    }
  }

  #editPhase(edit: PhaseEdit, zone: EmulatedZone, phase: RulePhase): void {
    const ruleset = entryPointOf(zone, phase);
    const rules = ruleset?.rules ?? [];
    const [theirs = [], [ours] = []] = [false, true].map((areOurs) =>
      rules.filter((rule) => (keyOfRule(rule) !== undefined) === areOurs),
    );
    const at = `rulesets/${ruleset?.id ?? ""}`;
    const added = newRuleIn(phase, rules.length);
    const put = (list: readonly object[]): void => this.#putRules(zone, list, phase);
    const add = (place: object): void => {
      if (ruleset === undefined) put([added]);
      else this.#call(zone, "POST", `${at}/rules`, { ...added, ...place });
    };
    const drop = (): void => {
      if (ruleset !== undefined) this.#call(zone, "DELETE", at);
    };
    const patch = (rule: EmulatedRule | undefined, body: object): void => {
      if (rule !== undefined) this.#call(zone, "PATCH", `${at}/rules/${rule.id}`, body);
    };
    const remove = (rule: EmulatedRule | undefined): void => {
      if (rule !== undefined) this.#call(zone, "DELETE", `${at}/rules/${rule.id}`);
    };
    const edits: Readonly<Record<PhaseEdit, () => void>> = {
      add_in_phase: () => add({}),
      add_first_in_phase: () => add({ position: { before: "" } }),
      edit_in_phase: () => patch(theirs[0], { ...bodyOf(theirs[0]), description: "Edited" }),
      move_in_phase: () => patch(theirs.at(-1), { position: { before: "" } }),
      delete_in_phase: () => remove(theirs[0]),
      edit_ours_in_phase: () => patch(ours, { ...bodyOf(ours), enabled: false }),
      move_ours_in_phase: () => patch(ours, { position: { after: "" } }),
      delete_ours_in_phase: () => remove(ours),
      copy_ours_in_phase: () => {
        const { id: _, ref: __, ...content } = bodyOf(ours);
        // One that is equal to what is declared would be taken for it.
        const copy = { ...content, description: "A copy" };
        if (ours !== undefined) this.#call(zone, "POST", `${at}/rules`, copy);
      },
      reverse_phase: () => {
        if (ruleset !== undefined) put(rules.toReversed());
      },
      delete_entry_point: drop,
      recreate_entry_point: () => {
        drop();
        put([added]);
      },
    };
    edits[edit]();
  }

  #editRuleset(edit: RulesetEdit, zone: EmulatedZone, { path, number }: SentRequest): void {
    const marked = customRulesetsOf(zone).filter((each) => keyOfMarked(each) !== undefined);
    const ruleset =
      marked.find(({ id }) => path.includes(`/rulesets/${id}`)) ?? marked[number % marked.length];
    if (ruleset === undefined) return;
    const { id, rules, description } = ruleset;
    const [theirs] = foreignRulesIn(ruleset);
    const ours = rules.find((rule) => keyOfRule(rule) !== undefined);
    const entryPoint = entryPointOf(zone, "custom_rules");
    const executor = entryPoint?.rules.find((rule) => rule.action_parameters?.["id"] === id);
    const call = (method: string, below: string, body?: object): void =>
      this.#call(zone, method, `rulesets/${below}`, body);
    const add = (place: object): void =>
      call("POST", `${id}/rules`, { ...newRuleIn("custom_rules", rules.length), ...place });
    const patch = (rule: EmulatedRule | undefined, body: object): void => {
      if (rule !== undefined) call("PATCH", `${id}/rules/${rule.id}`, body);
    };
    const remove = (rule: EmulatedRule | undefined): void => {
      if (rule !== undefined) call("DELETE", `${id}/rules/${rule.id}`);
    };
    const removeExecutor = (): void => {
      if (executor !== undefined) call("DELETE", `${entryPoint?.id ?? ""}/rules/${executor.id}`);
    };
    const edits: Readonly<Record<RulesetEdit, () => void>> = {
      add_in_ruleset: () => add({}),
      add_first_in_ruleset: () => add({ position: { before: "" } }),
      edit_in_ruleset: () => patch(theirs, { ...bodyOf(theirs), description: "Edited" }),
      delete_in_ruleset: () => remove(theirs),
      edit_ours_in_ruleset: () => patch(ours, { ...bodyOf(ours), enabled: false }),
      move_ours_in_ruleset: () => patch(ours, { position: { after: "" } }),
      delete_ours_in_ruleset: () => remove(ours),
      reverse_ruleset: () => call("PUT", id, { rules: rules.toReversed().map(bodyOf) }),
      delete_ruleset: () => {
        removeExecutor();
        call("DELETE", id);
      },
      take_ruleset_mark_off: () => call("PUT", id, { description: "Taken over by somebody" }),
      forge_ruleset_mark: () => {
        const { name, kind, phase } = ruleset;
        const added = [newRuleIn("custom_rules", rules.length)];
        call("POST", "", { name, kind, phase, description, rules: added });
      },
      move_deployment: () => {
        const at = `${entryPoint?.id ?? ""}/rules/${executor?.id ?? ""}`;
        if (executor !== undefined) call("PATCH", at, { position: { before: "" } });
      },
      delete_deployment: removeExecutor,
      take_deployment: () => {
        if (executor === undefined) return;
        const { id: _, ref: __, ...content } = bodyOf(executor);
        removeExecutor();
        const body = { ...content, description: "Executed by somebody" };
        call("POST", `${entryPoint?.id ?? ""}/rules`, body);
      },
    };
    edits[edit]();
  }

  #putRules(
    zone: EmulatedZone,
    rules: readonly object[],
    phase: RulePhase = "managed_rules",
  ): void {
    const entryPoint = `rulesets/phases/${wirePhases[phase]}/entrypoint`;
    this.#call(zone, "PUT", entryPoint, { rules: rules.map(bodyOf) });
  }

  #call(zone: EmulatedZone, method: string, path: string, body?: object): void {
    this.#service.handle({
      method,
      target: `${basePath}/zones/${zone.id}/${path.replace(/\/$/, "")}`,
      authorization: `Bearer ${dashboardToken}`,
      body: body === undefined ? "" : JSON.stringify(body),
    });
  }
}

/** A rule as it can be sent back. */
function bodyOf(rule: object = {}): Record<string, unknown> {
  const {
    version: _,
    last_updated: __,
    categories: ___,
    ...body
  } = { ...rule } as Record<string, unknown>;
  return body;
}

function newPolicy(description: string): JsonObject {
  return {
    description,
    action: "log",
    expression: "true",
    enabled: true,
    value: "media-src 'self'",
  };
}

function newRule(count: number): JsonObject {
  return {
    action: "skip",
    action_parameters: { ruleset: "current" },
    expression: `http.request.uri.path eq "/added-${count}"`,
    enabled: true,
    description: "Added by somebody",
    logging: { enabled: true },
  };
}

/** Rules of others with these refs. */
function rulesOfOthers(phase: RulePhase, refs: readonly string[]): readonly JsonObject[] {
  return refs.map((ref, index) => ({ ...newRuleIn(phase, index), ref }));
}

/** The custom rulesets with our mark that are not declared, or are there once more. */
function surplusIn(
  zone: EmulatedZone,
  declared: readonly DeclaredRuleset[],
): readonly EmulatedRuleset[] {
  const marked = customRulesetsOf(zone).filter((each) => keyOfMarked(each) !== undefined);
  return declared.reduce((left, { key }) => {
    const found = left.findIndex((each) => keyOfMarked(each) === key);
    return found < 0 ? left : left.toSpliced(found, 1);
  }, marked);
}

function newRuleIn(phase: RulePhase, count: number): JsonObject {
  if (phase === "managed_rules") return newRule(count);
  const limit = {
    characteristics: ["cf.colo.id", "ip.src"],
    period: 10,
    requests_per_period: 3,
    mitigation_timeout: 60,
  };
  return {
    action: "block",
    expression: `http.request.uri.path eq "/added-${count}"`,
    enabled: true,
    description: "Added by somebody",
    ...(phase === "rate_limiting_rules" ? { ratelimit: limit } : {}),
  };
}
