import { DriftAuthors, type FoundAuthors } from "../../src/audit/drift-authors.ts";
import { namesOfAuthors } from "../../src/plan/cause/author.ts";
import type { Change } from "../../src/plan/change.ts";
import type { Plan } from "../../src/plan/plan.ts";
import type { Outcome } from "../../src/state/run-report.ts";
import type { ActorStyle, AuditEntry } from "../../src/zone/audit-entry.ts";
import type { LiveZone } from "../../src/zone/live-zone.ts";
import type { ResourceKey } from "../../src/zone/resource.ts";
import type { ZoneName } from "../../src/zone/zone.ts";
import * as audited from "./audited-changes.ts";
import { SimulatedClock } from "./clock.ts";
import { livePolicy, liveRule, liveZone } from "./model.ts";
import { at, type Came, done, named, planOf, report } from "./reports.ts";

const { policies, rules, shop, wrote } = audited;
/** The zone of these runs. */
export const zone: ZoneName = named("shop.example.com");
/** Somebody who changes zones by hand. */
export const alice = "alice@example.com";

/** A live zone with one rule in this version. */
export function withRule(version: number): LiveZone {
  const live = [liveRule(shop, { version: `${version}` })];
  const list = { state: "present", id: audited.list, version: "7", rules: live } as const;
  return liveZone({ entrypoints: { managed_rules: list } });
}

export function withPolicies(...ids: readonly string[]): LiveZone {
  return liveZone({ policies: ids.map((id) => livePolicy(id)) });
}

/** The entry of an edit of the rule, which wrote what is live now. */
export function editOfRule(minutes: number, who = alice): AuditEntry {
  return { ...wrote(who, "PATCH", `${rules}/${shop}`, audited.owasp), at: at(minutes) };
}

export function deletionOf(id: string, minutes: number): AuditEntry {
  return { ...wrote(alice, "DELETE", `${policies}/${id}`), at: at(minutes) };
}

/** The entry of a write of the setting. */
export function writeOfSetting(minutes: number, who = alice, enabled = false): AuditEntry {
  return { ...wrote(who, "PUT", `${audited.zone}/page_shield`, { enabled }), at: at(minutes) };
}

function namesIn(changes: readonly Change[]): string {
  const authors = changes.flatMap((change) => change.authors ?? []);
  return namesOfAuthors(authors).replaceAll(" in the dashboard", "");
}

/** Runs of a zone and reads of its audit log, with what was live. */
export class Runs {
  readonly clock: SimulatedClock = new SimulatedClock(at(0));
  style: ActorStyle | undefined = "full";
  /** Every save of authors, as keys with names. */
  readonly saved: (readonly string[])[] = [];
  /** Whether what was saved can be read again. */
  isKept = true;
  /** Up to then, entries are known to be missing. */
  completeSince: Date = at(0);
  #found: ReadonlyMap<ResourceKey, FoundAuthors> = new Map();
  #authors = this.#newProcess();

  #newProcess(): DriftAuthors {
    const log = {
      isOwn: ({ actor }: AuditEntry) => actor.tokenId === "id-of-ours",
      isCompleteSince: (_account: string, moment: Date) => moment >= this.completeSince,
    };
    return new DriftAuthors(this.clock, log, () => this.style, {
      authors: () => (this.isKept ? this.#found : new Map()),
      setAuthors: (_zone, found) => {
        this.#found = found;
        this.saved.push(
          [...found].map(([key, { authors }]) => `${key} by ${namesOfAuthors(authors)}`),
        );
      },
    });
  }

  restart(): void {
    this.#authors = this.#newProcess();
  }

  keepOnly(...names: readonly string[]): void {
    this.#authors.keepOnly(new Set(names.map(named)));
  }

  /** The log is read. */
  read(minutes: number, ...entries: readonly AuditEntry[]): void {
    this.clock.step(Number(at(minutes)) - Number(this.clock.now()));
    this.#authors.note(zone, entries);
  }

  /** A run ends. */
  ends(minutes: number, came: Came, live?: LiveZone): void {
    this.#authors.record(report(zone, minutes, came), live);
  }

  inSync(minutes: number, live?: LiveZone): void {
    this.ends(minutes, { result: "in_sync" }, live);
  }

  /** A plan as a run explains it. */
  explainPlan(plan: Plan, live?: LiveZone): Plan {
    return this.#authors.explain(plan, live);
  }

  /** The changes as a run explains them. */
  explain(changes: readonly Change[], live?: LiveZone): readonly Change[] {
    return this.explainPlan(planOf(zone, changes), live).changes;
  }

  /** Who is named for the drift of one change. */
  authorsOf(change: Change, live?: LiveZone): string {
    return namesIn(this.explain([change], live));
  }

  /** A run finds the drift of a change, names its authors, and leaves it. */
  leaves(minutes: number, change: Change, live?: LiveZone): void {
    const changes = this.explain([change], live);
    this.ends(minutes, { result: "held", cause: "drift", changes }, live);
  }

  /** A run finds that the setting is off, and ends with the outcome of its write, if it wrote; gives who is named. */
  finds(minutes: number, outcome?: Outcome, isLeft = outcome?.status !== "done"): string {
    const { setting } = audited;
    const changes = this.explain([setting]);
    const left = isLeft ? [setting] : [];
    const came =
      outcome === undefined
        ? ({ result: "held", cause: "drift", changes } as const)
        : ({ result: "applied", cause: "drift", changes, outcomes: [outcome], left } as const);
    this.ends(minutes, came);
    return namesIn(changes);
  }

  /** A run finds the drift of a change and corrects it. */
  corrects(minutes: number, change: Change, live: LiveZone): void {
    const changes = this.explain([change], live);
    this.ends(
      minutes,
      { result: "applied", cause: "drift", changes, outcomes: [done(change.key)] },
      live,
    );
  }
}
