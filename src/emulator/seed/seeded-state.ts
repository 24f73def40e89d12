import type { JsonObject } from "../../syntax/json.ts";
import { trafficIn } from "../analytics/traffic-fields.ts";
import { ApiError, unpublishedCodes } from "../http/api-error.ts";
import { FieldReader } from "../http/fields.ts";
import { timestamp } from "../http/time.ts";
import { createdPolicy } from "../page-shield/policy-endpoints.ts";
import { updatedSettings } from "../page-shield/settings-endpoints.ts";
import { expandDeploy } from "../rulesets/managed-overrides.ts";
import { managedPhase } from "../rulesets/phases.ts";
import {
  emptyRuleset,
  entryPointKind,
  nextVersion,
  replacedRules,
  rulesetFields,
} from "../rulesets/stored-ruleset.ts";
import type {
  AccountState,
  InventoryItem,
  Owner,
  EmulatedPolicy,
  EmulatedRule,
  State,
  StoredRuleset,
  EmulatedZone,
  Undocumented,
} from "../state.ts";
import { generatedId, idFrom, undocumentedFrom } from "../store.ts";
import { type SeedIssue, seedIssues, type PathStep, stepsOf } from "./check-seed.ts";
import type { Seed, SeedAccount, SeedRuleset, SeedZone } from "./seed.ts";
import {
  emptyZone,
  rateLimitFrom,
  seededCookie,
  seededResource,
  seededToken,
  unlimited,
} from "./seeded-parts.ts";
import { inOrder, seededEvent } from "./zone-events.ts";

type Path = readonly PathStep[];

/** The state of a seed and all errors in the seed; invalid parts are left out of the state. */
interface SeededState {
  readonly state: State;
  readonly issues: readonly SeedIssue[];
}

/** Builds the state that a seed describes, as of `now`. */
export function seededState(seed: Seed, now: Date): SeededState {
  const builder = new Builder(now, undocumentedFrom(seed.undocumented));
  const {
    accounts: seeds = [{ name: "Synthetic account" }],
    tokens = [{ name: "emulator", value: "emulator-token" }],
  } = seed;
  const accounts = seeds.map((each, index) => builder.account(each, ["accounts", index]));
  const zones = seed.zones.flatMap((zone, index) => builder.zone(zone, accounts, ["zones", index]));
  const state: State = {
    accounts,
    zones,
    tokens: tokens.map(seededToken),
    rateLimit: rateLimitFrom(seed.rate_limit),
    undocumented: builder.undocumented,
    clockOffset: 0,
    made: builder.idCount,
  };
  return { state, issues: [...seedIssues(seed), ...builder.issues] };
}

/** A seed holds what a service has, which may be newer than the tables. */
const isLenient = true;

/** Builds one state; collects errors instead of throwing them. */
class Builder {
  readonly now: Date;
  readonly issues: SeedIssue[] = [];
  readonly undocumented: Undocumented;
  idCount = 0;

  constructor(now: Date, undocumented: Undocumented) {
    this.now = now;
    this.undocumented = undocumented;
  }

  newId(): string {
    this.idCount += 1;
    return generatedId(this.idCount);
  }

  account(seed: SeedAccount, path: Path): AccountState {
    const empty: AccountState = {
      level: "account",
      id: seed.id ?? idFrom(`account/${seed.name}`),
      name: seed.name,
      createdOn: timestamp(this.now),
      rulesets: [],
    };
    return { ...empty, rulesets: this.rulesets(empty, seed.rulesets, [...path, "rulesets"]) };
  }

  zone(seed: SeedZone, accounts: readonly AccountState[], path: Path): EmulatedZone[] {
    const account = accounts.find(({ name }) => name === (seed.account ?? accounts[0]?.name));
    if (account === undefined) {
      const message = `there is no account "${seed.account ?? ""}"; add it to accounts`;
      this.issues.push({ path: [...path, "account"], message });
      return [];
    }
    const empty = emptyZone(seed, account, this.now);
    const settings = this.attempt([...path, "settings"], () =>
      updatedSettings({ ...empty, entitlements: unlimited }, seed.settings ?? {}, this.now),
    );
    return [
      {
        ...empty,
        settings: settings ?? empty.settings,
        policies: this.policies(empty, seed.policies ?? [], [...path, "policies"]),
        rulesets: this.zoneRulesets(empty, seed, path),
        scripts: this.items(seed, "scripts", path),
        connections: this.items(seed, "connections", path),
        cookies: this.items(seed, "cookies", path),
        ...this.events(seed, path),
        ...this.traffic(seed, path),
      },
    ];
  }

  policies(
    zone: EmulatedZone,
    seeds: readonly JsonObject[],
    path: Path,
  ): readonly EmulatedPolicy[] {
    const policies: EmulatedPolicy[] = [];
    for (const [index, { id, ...body }] of seeds.entries()) {
      const policyId = typeof id === "string" ? id : this.newId();
      const complete = { description: "", enabled: true, ...body };
      const policy = this.attempt([...path, index], () =>
        createdPolicy({ ...zone, policies }, complete, policyId, isLenient),
      );
      if (policy !== undefined) policies.push(policy);
    }
    return policies;
  }

  /** All rulesets of a zone: those of `rulesets`, and `entrypoint`. */
  zoneRulesets(zone: EmulatedZone, seed: SeedZone, path: Path): readonly StoredRuleset[] {
    const { rulesets, entrypoint: rules } = seed;
    const others = this.rulesets(zone, rulesets, [...path, "rulesets"]);
    if (rules === undefined) return others;
    const id = idFrom(`entrypoint/${zone.id}`);
    const managed = { id, name: "default", phase: managedPhase, rules };
    return [this.ruleset(managed, zone, [...path, "entrypoint"]), ...others];
  }

  /** Custom rulesets are built first: the rules of an entry point deploy them. */
  rulesets(owner: Owner, seeds: readonly SeedRuleset[] = [], path: Path): readonly StoredRuleset[] {
    const custom: StoredRuleset[] = [];
    const build = ([index, seed]: readonly [number, SeedRuleset]): StoredRuleset =>
      this.ruleset(seed, { ...owner, rulesets: custom }, [...path, index, "rules"]);
    const all = [...seeds.entries()];
    for (const each of all.filter(([, { kind }]) => kind === "custom")) custom.push(build(each));
    return [...all.filter(([, { kind }]) => kind !== "custom").map(build), ...custom];
  }

  /** `path` is that of its rules. */
  ruleset(seed: SeedRuleset, owner: Owner, path: Path): StoredRuleset {
    const { name, phase, kind = entryPointKind(owner), description = "" } = seed;
    const id = seed.id ?? idFrom(`ruleset/${owner.id}/${phase}/${name}`);
    const empty = emptyRuleset(id, { name, kind, phase });
    const rules = this.attempt(path, () => this.rules(empty, seed.rules ?? [], owner)) ?? [];
    return nextVersion(empty, { description, rules }, this.now);
  }

  /** Rules of a live ruleset come with ids, which are kept. */
  rules(
    before: StoredRuleset,
    seeds: readonly JsonObject[],
    owner: Owner,
  ): readonly EmulatedRule[] {
    const given = seeds.map((seed) => expandDeploy(seed, owner));
    const items = given.map(({ id: _id, ...body }) => body);
    const bodies = rulesetFields({ rules: items }).objects("rules") ?? [];
    const rules = replacedRules(bodies, {
      now: this.now,
      newId: () => this.newId(),
      isLenient,
      undocumented: this.undocumented,
      owner,
      before,
    });
    return rules.map((rule, index) => {
      const id = given[index]?.["id"];
      if (typeof id !== "string") return rule;
      return { ...rule, id, ref: rule.ref === rule.id ? id : rule.ref };
    });
  }

  items(
    seed: SeedZone,
    kind: "scripts" | "connections" | "cookies",
    path: Path,
  ): readonly InventoryItem[] {
    const build = kind === "cookies" ? seededCookie : seededResource;
    return (seed[kind] ?? []).flatMap((item, index) => {
      const key = `${kind}/${seed.name}/${index}`;
      const built = this.attempt([...path, kind, index], () =>
        build(item, key, seed.name, this.now),
      );
      return built ?? [];
    });
  }

  events({ events }: SeedZone, path: Path): Pick<EmulatedZone, "events"> {
    if (events === undefined) return {};
    const built = events.flatMap((event, index) => {
      return this.attempt([...path, "events", index], () => seededEvent(event, this.now)) ?? [];
    });
    return { events: inOrder(built) };
  }

  traffic({ traffic }: SeedZone, path: Path): Pick<EmulatedZone, "traffic"> {
    if (traffic === undefined) return {};
    const built = this.attempt([...path, "traffic"], () =>
      trafficIn(new FieldReader(traffic, "", unpublishedCodes.body)),
    );
    return { traffic: built ?? {} };
  }

  /** The result of `build`; what the service rejects becomes an issue. */
  attempt<T>(path: Path, build: () => T): T | undefined {
    try {
      return build();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      for (const { message, source } of error.errors) {
        const [first, ...others] = stepsOf(source?.pointer ?? "");
        // A seed has another name for the list of rules.
        const below = first === undefined || first === "rules" ? others : [first, ...others];
        this.issues.push({ path: [...path, ...below], message });
      }
      return undefined;
    }
  }
}
