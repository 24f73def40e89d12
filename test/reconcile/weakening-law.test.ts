import * as fc from "fast-check";
import { describe, it } from "vitest";

import type { DesiredState } from "../../src/zone/desired-state.ts";
import type { ZoneContent } from "../../src/zone/desired-zone.ts";
import type { LiveZone } from "../../src/zone/live-zone.ts";
import { declared, desiredZone, policy, settingsOff } from "../support/model.ts";
import { cases } from "../support/properties.ts";
import { MemoryRunStore } from "../support/run-store.ts";
import { defaultOptions, oneCredential, protectedContent, World } from "../support/world.ts";

const minute = 60_000;
const zones = Array.from({ length: 9 }, (_, nth) => `z${nth}.example`);
const max = 2;
/** What is written shows so much later at most. */
const sliceMs = 5 * minute;

const some = fc.uniqueArray(fc.constantFrom(...zones), { minLength: 1, maxLength: 7 });
const few = fc.uniqueArray(fc.constantFrom(...zones), { minLength: 1, maxLength: 2 });

/** What happens to a fleet. */
const event = fc.oneof(
  fc.record({
    does: fc.constant("commit" as const),
    zones: fc.oneof(few, some),
    weak: fc.boolean(),
  }),
  fc.record({ does: fc.constant("commit" as const), zones: few, weak: fc.constant(true) }),
  fc.record({ does: fc.constant("by hand" as const), zones: some }),
  fc.record({ does: fc.constant("pass" as const), slices: fc.integer({ min: 1, max: 15 }) }),
  fc.record({ does: fc.constant("release" as const) }),
  fc.record({ does: fc.constant("restart" as const) }),
);

type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;

interface Weakened {
  readonly zone: string;
  readonly at: number;
}

/** A fleet over its processes, and which zones its revisions weakened. */
class Story implements AsyncDisposable {
  readonly weakened: Weakened[] = [];
  #world: World;
  readonly #store = new MemoryRunStore();
  readonly #states = new Map<string, DesiredState>();
  #before: ReadonlySet<string> = new Set();
  #revisions = 1;

  private constructor() {
    const fleetLimits = {
      ...defaultOptions.fleetLimits,
      maxFleetShare: 1,
      maxWeakened: { zones: max, share: 0 },
    };
    this.#world = new World(zones, { fleetLimits }, oneCredential, this.#store);
  }

  static async start(): Promise<Story> {
    const story = new Story();
    story.#world.remember();
    story.#world.start();
    await story.#settle();
    return story;
  }

  async play(each: Event): Promise<void> {
    const world = this.#world;
    switch (each.does) {
      case "commit": {
        this.#revisions += 1;
        const content = each.weak ? weakContent(this.#revisions) : protectedContent;
        for (const zone of each.zones) world.files.set(zone, content);
        world.revision = `r${this.#revisions}`;
        world.reconciler.filesChanged();
        break;
      }
      case "by hand":
        for (const zone of each.zones) {
          world.edit(zone, switchedOff);
        }
        this.#before = this.#off;
        break;
      case "pass":
        for (let slice = 0; slice < each.slices; slice += 1) {
          await world.clock.advance(sliceMs);
          this.#look();
        }
        break;
      case "release": {
        const { options, revision } = world;
        const fleetLimits = { ...options.fleetLimits, accept: [revision] };
        world.reconciler.reconfigure({ ...options, fleetLimits });
        // What a person released does not count, now and later.
        const counted = this.weakened.length;
        await this.#settle();
        this.weakened.length = counted;
        world.reconciler.reconfigure(options);
        break;
      }
      case "restart":
        await this.#restart();
    }
    await this.#settle();
  }

  /** Zones that are left weaker than the active revision declares, where the files on the disk say so too. */
  get left(): readonly string[] {
    const { fleet } = this.#world.loads.at(-1) ?? {};
    return [...(fleet?.zones.values() ?? [])].flatMap(({ desired }) => {
      const { zone, content, isRestored } = desired;
      const isOn = content.settings.some(({ value }) => value);
      return isOn && isRestored !== true && this.#off.has(zone.name) ? [zone.name] : [];
    });
  }

  /** The most zones that revisions weakened within an hour. */
  get most(): number {
    const counts = this.weakened.map(({ at }) => {
      const hour = this.weakened.filter(
        (other) => other.at <= at && other.at > at - (60 * minute - 2 * sliceMs),
      );
      return new Set(hour.map(({ zone }) => zone)).size;
    });
    return Math.max(0, ...counts);
  }

  async #settle(): Promise<void> {
    await this.#world.clock.advance(0);
    this.#world.reconciler.requestSweep("manual");
    await this.#world.clock.advance(0);
    for (const { state } of this.#world.loads) this.#states.set(state.revision, state);
    this.#look();
  }

  #look(): void {
    const off = this.#off;
    const at = Number(this.#world.clock.now());
    this.weakened.push(...[...off.difference(this.#before)].map((zone) => ({ zone, at })));
    this.#before = off;
  }

  get #off(): ReadonlySet<string> {
    const all = [...this.#world.live].filter(([, { settings }]) => settings?.enabled === false);
    return new Set(all.map(([name]) => name));
  }

  /** The next process has the state, the files and the zones of this one. */
  async #restart(): Promise<void> {
    const world = this.#world;
    const next = new World(zones, world.options, oneCredential, this.#store);
    for (const [name, live] of world.live) next.live.set(name, live);
    for (const [name, content] of world.files) next.files.set(name, content);
    next.revision = world.revision;
    next.stored = this.#states.get(world.loads.at(-1)?.active.revision ?? "");
    next.clock.step(Number(world.clock.now()) - Number(next.clock.now()));
    await world[Symbol.asyncDispose]();
    this.#world = next;
    next.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#world[Symbol.asyncDispose]();
  }
}

/** Page Shield is off. No two revisions are alike: to go back to what was in force does not count. */
function weakContent(revision: number): ZoneContent {
  return desiredZone({
    settings: [{ name: "enabled", value: false }],
    policies: declared([policy("checkout", { description: `Scripts of revision ${revision}` })]),
  }).content;
}

function switchedOff({ settings = settingsOff, ...live }: LiveZone): LiveZone {
  return { ...live, settings: { ...settings, enabled: false } };
}

describe("whatever is committed, edited, released and restarted", () => {
  it("revisions weaken no more zones than max_weakened within an hour, and no more are left weaker", async ({
    expect,
  }) => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 2, maxLength: 8 }), async (events) => {
        await using story = await Story.start();
        for (const each of events) {
          await story.play(each);
          expect(story.most).toBeLessThanOrEqual(max);
          expect(story.left.length).toBeLessThanOrEqual(max);
        }
      }),
      cases(30),
    );
  });
});
