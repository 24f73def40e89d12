import type { JsonObject } from "../../syntax/json.ts";
import { ServiceError } from "../http/api-error.ts";
import { timestamp } from "../http/time.ts";
import { createdPolicy } from "../page-shield/policy-endpoints.ts";
import { changedSettings } from "../page-shield/settings-endpoints.ts";
import { withDeployment } from "../rulesets/managed-overrides.ts";
import { managedPhase } from "../rulesets/phases.ts";
import {
  type Maker,
  emptyRuleset,
  entrypointKind,
  nextVersion,
  replacedRules,
  rulesetFields,
} from "../rulesets/ruleset.ts";
import type {
  AccountState,
  Detected,
  Owner,
  Policy,
  Rule,
  Ruleset,
  State,
  StoredRuleset,
  ZoneState,
} from "../state.ts";
import { idFrom } from "../store.ts";
import { type SeedMistake, type Step, seedMistakes } from "./check-seed.ts";
import type { Seed, SeedAccount, SeedRuleset, SeedZone } from "./seed.ts";
import {
  bareZone,
  everything,
  limitFrom,
  onlyAccount,
  seededCookie,
  seededItem,
  tokenFrom,
  unlimited,
} from "./seeded-parts.ts";

/** A state made from a seed, with every mistake found on the way; a mistaken part is left out. */
interface SeededState {
  readonly state: State;
  readonly mistakes: readonly SeedMistake[];
}

/** Makes the state that a seed describes, as of a moment. */
export function seededState(seed: Seed, now: Date): SeededState {
  const builder = new Builder(now);
  const accounts = (seed.accounts ?? [onlyAccount]).map((account, index) =>
    builder.account(account, ["accounts", index]),
  );
  const zones = seed.zones.flatMap((zone, index) => builder.zone(zone, accounts, ["zones", index]));
  const tokens = (seed.tokens ?? [everything]).map(tokenFrom);
  return {
    state: {
      accounts,
      zones,
      tokens,
      rateLimit: limitFrom(seed.rate_limit),
      clockOffset: 0,
      made: builder.made,
    },
    mistakes: [...seedMistakes(seed), ...builder.mistakes],
  };
}

/** Carries the moment, the ids and the mistakes through the making of one state. */
class Builder implements Maker {
  readonly now: Date;
  readonly mistakes: SeedMistake[] = [];
  made = 0;

  constructor(now: Date) {
    this.now = now;
  }

  newId(): string {
    this.made += 1;
    return idFrom(`made/${this.made}`);
  }

  account(seed: SeedAccount, path: readonly Step[]): AccountState {
    const bare: AccountState = {
      level: "account",
      id: seed.id ?? idFrom(`account/${seed.name}`),
      name: seed.name,
      createdOn: timestamp(this.now),
      rulesets: [],
    };
    return { ...bare, rulesets: this.rulesets(bare, seed.rulesets ?? [], [...path, "rulesets"]) };
  }

  zone(seed: SeedZone, accounts: readonly AccountState[], path: readonly Step[]): ZoneState[] {
    const account = accounts.find(({ name }) => name === (seed.account ?? accounts[0]?.name));
    if (account === undefined) {
      this.mistaken(
        [...path, "account"],
        `there is no account "${seed.account ?? ""}"; name it under accounts`,
      );
      return [];
    }
    const bare = bareZone(seed, account, this.now);
    const settings = this.attempt([...path, "settings"], () =>
      changedSettings({ ...bare, entitlements: unlimited }, seed.settings ?? {}, this.now),
    );
    return [
      {
        ...bare,
        settings: settings ?? bare.settings,
        policies: this.policies(bare, seed.policies ?? [], [...path, "policies"]),
        rulesets: [
          ...this.entrypoint(bare, seed.entrypoint, [...path, "entrypoint"]),
          ...this.rulesets(bare, seed.rulesets ?? [], [...path, "rulesets"]),
        ],
        ...this.items(seed, path),
      },
    ];
  }

  policies(
    zone: ZoneState,
    seeds: readonly JsonObject[],
    path: readonly Step[],
  ): readonly Policy[] {
    const policies: Policy[] = [];
    for (const [index, { id, ...body }] of seeds.entries()) {
      const own = typeof id === "string" ? id : this.newId();
      const complete = { description: "", enabled: true, ...body };
      const policy = this.attempt([...path, index], () =>
        createdPolicy({ ...zone, policies }, complete, own),
      );
      if (policy !== undefined) policies.push(policy);
    }
    return policies;
  }

  entrypoint(
    zone: ZoneState,
    rules: readonly JsonObject[] | undefined,
    path: readonly Step[],
  ): readonly StoredRuleset[] {
    if (rules === undefined) return [];
    const facts = { name: "default", kind: "zone", phase: managedPhase };
    const empty = emptyRuleset(idFrom(`entrypoint/${zone.id}`), facts);
    return [this.filled(empty, "", rules, zone, path)];
  }

  rulesets(
    owner: Owner,
    seeds: readonly SeedRuleset[],
    path: readonly Step[],
  ): readonly StoredRuleset[] {
    return seeds.map((seed, index) => {
      const id = seed.id ?? idFrom(`ruleset/${owner.id}/${seed.phase}/${seed.name}`);
      const kind = seed.kind ?? entrypointKind(owner);
      const empty = emptyRuleset(id, { name: seed.name, kind, phase: seed.phase });
      const rulesPath = [...path, index, "rules"];
      return this.filled(empty, seed.description ?? "", seed.rules ?? [], owner, rulesPath);
    });
  }

  filled(
    empty: Ruleset,
    description: string,
    seeds: readonly JsonObject[],
    owner: Owner,
    path: readonly Step[],
  ): StoredRuleset {
    const rules = this.attempt(path, () => this.rules(empty, seeds, owner)) ?? [];
    return nextVersion(empty, { description, rules }, this.now);
  }

  /** A dump of a live ruleset brings ids along: they are kept as they are. */
  rules(empty: Ruleset, seeds: readonly JsonObject[], owner: Owner): readonly Rule[] {
    const given = seeds.map((seed) => withDeployment(seed));
    const items = given.map(({ id: _id, ...body }) => body);
    const body = rulesetFields({ rules: items }).objects("rules") ?? [];
    const rules = replacedRules(body, empty, owner, this);
    return rules.map((rule, index) => {
      const id = given[index]?.["id"];
      if (typeof id !== "string") return rule;
      return { ...rule, id, ref: rule.ref === rule.id ? id : rule.ref };
    });
  }

  items(
    seed: SeedZone,
    path: readonly Step[],
  ): Pick<ZoneState, "scripts" | "connections" | "cookies"> {
    const made = (
      name: "scripts" | "connections" | "cookies",
      make: typeof seededItem,
    ): readonly Detected[] =>
      (seed[name] ?? []).flatMap((item, index) => {
        const key = `${name}/${seed.name}/${index}`;
        const detected = this.attempt([...path, name, index], () =>
          make(item, key, seed.name, this.now),
        );
        return detected === undefined ? [] : [detected];
      });
    return {
      scripts: made("scripts", seededItem),
      connections: made("connections", seededItem),
      cookies: made("cookies", seededCookie),
    };
  }

  /** Does what the service may refuse; a refusal becomes a mistake at its place. */
  attempt<T>(path: readonly Step[], make: () => T): T | undefined {
    try {
      return make();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      for (const { message, source } of error.errors) {
        this.mistaken([...path, ...stepsOf(source?.pointer ?? "", path)], message);
      }
      return undefined;
    }
  }

  mistaken(path: readonly Step[], message: string): void {
    this.mistakes.push({ path, message });
  }
}

/** The steps of a pointer below `path`; the list of rules has its own name in a seed. */
function stepsOf(pointer: string, path: readonly Step[]): readonly Step[] {
  const steps = pointer.split("/").filter((step) => step !== "");
  const below = steps[0] === "rules" && path.length > 0 ? steps.slice(1) : steps;
  return below.map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}
