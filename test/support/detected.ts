import {
  InventoryPoller,
  type InventoryPollerOptions,
} from "../../src/reconcile/inventory/inventory-poller.ts";
import { renderImpacts } from "../../src/render/impact-text.ts";
import type { InventoryReport } from "../../src/state/inventory.ts";
import type { ScriptCheck, ScriptWatch } from "../../src/state/scripts/script-watch.ts";
import type { DesiredZone } from "../../src/zone/desired-zone.ts";
import type { Item, ItemKind, Script } from "../../src/zone/inventory-item.ts";
import type { LiveZone } from "../../src/zone/live-zone.ts";
import type { PartsToRead } from "../../src/zone/ports.ts";
import { Bugs } from "./bugs.ts";
import { SimulatedClock } from "./clock.ts";
import { desiredZone, liveZone, owner, readAllAt, zoneNamed } from "./model.ts";
import { ServiceFault } from "./world.ts";

/** Rounds of a day over two kinds of items. */
export const daily: InventoryPollerOptions = {
  everyMs: 86_400_000,
  kinds: ["script", "connection"],
  maliciousBelow: 50,
  owner,
};

export function declaredZone(
  name: string,
  content: Partial<DesiredZone["content"]> = {},
): DesiredZone {
  return { ...desiredZone(content), zone: zoneNamed(name) };
}

/** Zones with what was detected in them, and rounds over them on a clock that stands still. */
export class Detected implements AsyncDisposable {
  readonly clock = new SimulatedClock();
  readonly reports: InventoryReport[] = [];
  readonly bugs = new Bugs();
  /** `script shop.example.com`, as they began. */
  readonly requests: string[] = [];
  readonly priorities = new Set<string>();
  /** What was asked for of zones. */
  readonly wanted: PartsToRead[] = [];
  readonly items = new Map<string, readonly Item[]>();
  readonly faults = new Map<string, () => Error | undefined>();
  /** Ids of scripts that are not on the declared pages. */
  readonly elsewhere = new Set<string>();
  /** Checks of scripts, and what is known after the last of each zone. */
  readonly checks: ScriptCheck[] = [];
  readonly watches = new Map<string, ScriptWatch>();
  /** Names of zones whose declared scripts are not checked, each time they were told. */
  readonly unchecked: string[] = [];
  refusedKind: ItemKind | undefined;
  managedFault = new Error("nobody asks for it");
  /** Managed rulesets that were asked for: zone and id. */
  readonly managed: string[] = [];
  /** From 0 up to 1. */
  chance = 1;
  latencyMs = 0;
  /** What is live in every zone. */
  live: Partial<LiveZone> = { policies: [] };
  readonly stop = new AbortController();
  readonly rounds: InventoryPoller;
  #ended: Promise<void> = Promise.resolve();

  constructor(options: InventoryPollerOptions | undefined) {
    this.rounds = new InventoryPoller(options, {
      source: {
        readAnswers: async (zone, wanted, priority, signal) => {
          const { settings, policies } = wanted;
          this.wanted.push(wanted);
          this.priorities.add(priority);
          const live = {
            ...this.live,
            ...(!policies && { policies: undefined }),
            ...(!settings && { settings: undefined }),
          };
          await this.#request(zone.name, `zone ${zone.name}`, signal);
          return { readAt: readAllAt(0), digest: "", live: () => liveZone({ ...live, zone }) };
        },
        listItems: async (zone, kind, signal) => {
          await this.#request(zone.name, `${kind} ${zone.name}`, signal);
          if (kind === this.refusedKind) throw new ServiceFault("API_FORBIDDEN", false);
          return (this.items.get(zone.name) ?? []).filter((item) => item.kind === kind);
        },
        readManaged: (zone, id) => {
          this.managed.push(`${zone.name} ${id}`);
          return Promise.reject(this.managedFault);
        },
        listScriptsOn: async (zone, pages, signal) => {
          await this.#request(zone.name, `scripts on ${pages.join(" ")}`, signal);
          return this.#scriptsOf(zone.name).filter(({ id }) => !this.elsewhere.has(id));
        },
        readScript: async (zone, id, signal) => {
          await this.#request(zone.name, `script ${id}`, signal);
          const found = this.#scriptsOf(zone.name).find((script) => script.id === id);
          if (found === undefined) throw new ServiceFault("API_NOT_FOUND", false);
          return found;
        },
      },
      clock: this.clock,
      random: () => this.chance,
      impactLines: (impact) => renderImpacts([impact], { color: false }).split("\n"),
      report: (report) => this.reports.push(report),
      scripts: {
        earlier: (zone) => this.watches.get(zone),
        checked: (zone, check, _at, isLast) => {
          this.checks.push(check);
          if (isLast) this.watches.delete(zone);
          else this.watches.set(zone, check.watch);
        },
      },
      unchecked: (zones) => this.unchecked.push(zones.join(" ")),
      bug: (error) => this.bugs.tell(error),
    });
  }

  #scriptsOf(zone: string): readonly Script[] {
    return (this.items.get(zone) ?? []).filter((item) => item.kind === "script");
  }

  /** Starts the rounds over some zones. */
  start(...zones: readonly DesiredZone[]): void {
    this.rounds.declare(zones);
    this.#ended = this.rounds.runUntil(this.stop.signal);
  }

  /** Starts, and lets some time pass. */
  async run(ms: number, ...zones: readonly DesiredZone[]): Promise<void> {
    this.start(...zones);
    await this.clock.advance(ms);
  }

  /** Resolves when the rounds have ended. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  /** Ends the rounds, and throws where a fault of the program was told that the test did not take. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.stop.abort();
    await this.#ended;
    this.bugs.expectNone();
  }

  /** Results since the last call: `shop.example.com read`. */
  takeResults(): readonly string[] {
    return this.reports.splice(0).map(({ zone, result }) => `${zone} ${result}`);
  }

  async #request(zone: string, name: string, signal: AbortSignal): Promise<void> {
    this.requests.push(name);
    await this.clock.sleep(this.latencyMs, signal);
    const fault = this.faults.get(zone)?.();
    if (fault !== undefined) throw fault;
  }
}
