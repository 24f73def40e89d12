import type { StoredRollout } from "../../src/reconcile/fleet/desired-fleet.ts";
import { wavesOf } from "../../src/reconcile/fleet/waves.ts";
import type { ZoneContent } from "../../src/zone/desired-zone.ts";
import type { RolloutSettings } from "../../src/zone/wave.ts";
import { declared, desiredZone, policy } from "./model.ts";
import { named } from "./reports.ts";
import { MemoryRunStore } from "./run-store.ts";
import { defaultOptions, many, oneCredential, World } from "./world.ts";

export const hour = 3_600_000;

/** Two canaries, three more zones, and the other two: the names of the last five follow from their hashes. */
export const settings: RolloutSettings = {
  waves: [
    { by: "zones", zones: ["z4.example", "z2.example"].map(named) },
    { by: "share", share: 0.6 },
    { by: "share", share: 1 },
  ],
  soakMs: 24 * hour,
  appliesTo: "all",
};

/** The zones of each wave. */
export const waves: readonly (readonly string[])[] = membersOf(settings, many(7));

function membersOf(rollout: RolloutSettings, zones: readonly string[]): typeof waves {
  const found = wavesOf(rollout.waves, new Set(zones.map(named)));
  return rollout.waves.map((_, nth) => zones.filter((name) => found.get(named(name)) === nth + 1));
}

/** Blocks what the policy does not allow: may break a site. */
export const blocking: ZoneContent = of("allow", true);
/** Only reports it. */
export const reporting: ZoneContent = of("log", true);
/** Page Shield is off: weaker than all others. */
export const off: ZoneContent = of("log", false);
/** Blocks, though Page Shield is off. */
export const weakBlocking: ZoneContent = of("allow", false);

function of(action: "allow" | "log", enabled: boolean): ZoneContent {
  return desiredZone({
    settings: [{ name: "enabled", value: enabled }],
    policies: declared([policy("checkout", { action })]),
  }).content;
}

/** A fleet that is as its files declare, and whose next revisions go out in waves. */
export async function fleetInWaves(
  rollout: RolloutSettings = settings,
  content = reporting,
  zones = many(7),
): Promise<WavesWorld> {
  const store = new MemoryRunStore();
  await using world = new WavesWorld(zones, undefined, store);
  for (const zone of zones) world.files.set(zone, content);
  await world.begin();
  const rolloutBefore: StoredRollout = { revision: "r1", waiting: new Map(), gone: new Map() };
  const next = new WavesWorld(zones, rollout, store);
  next.takeOver(world, rolloutBefore);
  await next.begin();
  return next;
}

/** The end of a process and the begin of the next one. */
interface Restart {
  /** How long none runs. */
  readonly afterMs?: number;
  /** What the store does not give back. */
  readonly lose?: readonly ("all" | "revision" | "rollout" | "earlier")[];
}

/** A fleet whose revisions go out in waves. */
export class WavesWorld extends World {
  readonly runStore: MemoryRunStore;
  readonly rollout: RolloutSettings | undefined;

  constructor(
    zones: readonly string[],
    rollout: RolloutSettings | undefined,
    store: MemoryRunStore,
  ) {
    const fleetLimits = {
      ...defaultOptions.fleetLimits,
      maxFleetShare: 1,
      maxWeakened: { zones: zones.length, share: 1 },
    };
    super(zones, { fleetLimits, rollout }, oneCredential, store);
    this.runStore = store;
    this.rollout = rollout;
  }

  /** Ends this process and begins the next one after some time, which knows what this one has left. */
  async restart({ afterMs = 0, lose = [] }: Restart = {}): Promise<WavesWorld> {
    await this[Symbol.asyncDispose]();
    const isLost = lose.includes("all");
    const store = isLost ? new MemoryRunStore() : this.runStore;
    const next = new WavesWorld([...this.live.keys()], this.rollout, store);
    const stored = this.loads.at(-1)?.rollout.stored;
    next.takeOver(this, lose.includes("rollout") ? undefined : stored);
    if (isLost || lose.includes("revision")) next.stored = undefined;
    if (lose.includes("earlier")) next.earlier = [];
    next.clock.step(Number(this.clock.now()) + afterMs - Number(next.clock.now()));
    await next.begin();
    return next;
  }

  /** Zones get another declaration, in one revision, and all that needs no time happens. */
  async commit(
    revision: string,
    content: ZoneContent,
    zones: readonly string[] = [...this.files.keys()],
  ): Promise<void> {
    for (const zone of zones) this.files.set(zone, content);
    await this.reload(revision, 60_000);
  }

  /** The zones that are live as content declares. */
  liveAs(content: ZoneContent): readonly string[] {
    const [wanted] = content.policies?.items ?? [];
    const enabled = content.settings.find(({ name }) => name === "enabled")?.value;
    return [...this.live]
      .filter(([, { policies = [], settings: now }]) => {
        const [policyNow] = policies;
        return now?.enabled === enabled && policyNow?.action === wanted?.action;
      })
      .map(([name]) => name);
  }

  /** Where the rollout is, in short. */
  get where(): unknown {
    const { status } = this.loads.at(-1)?.rollout ?? {};
    if (status === undefined) return undefined;
    const { wave, unsettled, nextAt } = status;
    return { wave, unsettled, nextAt };
  }
}
