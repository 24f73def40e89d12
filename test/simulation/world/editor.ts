import { basePath } from "../../../src/api/wire.ts";
import type { EmulatedPolicy, EmulatedZone } from "../../../src/emulator/state.ts";
import type { JsonObject } from "../../../src/syntax/json.ts";
import { type Edit, isRuleEdit, type PolicyEdit, type RuleEdit } from "../disturbances.ts";
import { keyOfPolicy, keyOfRule, rulesOf } from "../invariants/oracle.ts";
import type { Ledger } from "../ledger.ts";
import { dashboardToken } from "../stories.ts";
import type { InProcessService } from "./in-process-service.ts";
import type { SimulatedTime } from "./simulated-time.ts";

const policiesPath = "page_shield/policies";
const managedEntryPoint = "rulesets/phases/http_request_firewall_managed/entrypoint";

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

  /** Edits a zone. Where there is nothing to edit, nothing happens. */
  edit(edit: Edit, name: string): void {
    const zone = this.#service.zoneNamed(name);
    if (isRuleEdit(edit)) this.#editRules(edit, zone);
    else this.#editPageShield(edit, zone);
    this.#ledger.edited(this.#time.elapsed, zone, this.#service.zoneNamed(name));
  }

  #editPageShield(edit: PolicyEdit, zone: EmulatedZone): void {
    const create = (policy: object): void => this.#call(zone, "POST", policiesPath, policy);
    if (edit === "create_policy") create(newPolicy("Somebody's"));
    else if (edit === "forge_mark") create(newPolicy("Forged [zonewarden:checkout]"));
    else if (edit === "settings_off") this.#call(zone, "PUT", "page_shield", { enabled: false });
    else {
      const ours = zone.policies.find((policy) => keyOfPolicy(policy) !== undefined);
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
    const rules = rulesOf(zone);
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

  #putRules(zone: EmulatedZone, rules: readonly object[]): void {
    const bodies = rules.map((rule) => {
      const {
        version: _,
        last_updated: __,
        categories: ___,
        ...body
      } = { ...rule } as Record<string, unknown>;
      return body;
    });
    this.#call(zone, "PUT", managedEntryPoint, { rules: bodies });
  }

  #call(zone: EmulatedZone, method: string, path: string, body?: object): void {
    this.#service.handle({
      method,
      target: `${basePath}/zones/${zone.id}/${path}`,
      authorization: `Bearer ${dashboardToken}`,
      body: body === undefined ? "" : JSON.stringify(body),
    });
  }
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
