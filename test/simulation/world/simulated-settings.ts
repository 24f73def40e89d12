import type { Config } from "../../../src/desired/config/config.ts";
import { named } from "../../support/reports.ts";
import type { Truth } from "../invariants/invariant.ts";
import type { Schedule } from "../schedule.ts";
import { soakMs, waves } from "../stories.ts";
import type { SimulatedTime } from "./simulated-time.ts";

const freezeMinutes = 20;

/** What the configuration says of when to write. */
export interface WriteSettings extends Pick<Config, "mode" | "windows" | "rollout"> {
  /** Hashes that a person accepted. */
  readonly accept: readonly string[];
  /** Whether a plan that weakens the protection is held. */
  readonly weakening: "allow" | "refuse";
  readonly rulesetVersions: Config["api"]["rulesetVersions"];
}

const inWaves: NonNullable<Config["rollout"]> = {
  waves: [
    ...waves.slice(0, -1).map((zones) => ({ by: "zones", zones: zones.map(named) }) as const),
    { by: "share", share: 1 },
  ],
  soakMs,
  appliesTo: "all",
};

/** The keys of zonewarden.yaml that change while the program runs. */
export class SimulatedSettings {
  #mode: Truth["mode"] = { name: "enforce", since: 0 };
  #freeze: Truth["freeze"];
  #current: WriteSettings;

  constructor({ story, versions }: Schedule) {
    const rulesetVersions = versions ?? "read";
    const weakening = story === "released" ? "refuse" : "allow";
    const rollout = story === "waves" ? inWaves : undefined;
    const write = { mode: "enforce", windows: [], accept: [], rollout } as const;
    this.#current = { ...write, weakening, rulesetVersions };
  }

  get mode(): Truth["mode"] {
    return this.#mode;
  }

  get freeze(): Truth["freeze"] {
    return this.#freeze;
  }

  /** The same object until something changes. */
  get current(): WriteSettings {
    return this.#current;
  }

  change(event: "observe" | "enforce" | "freeze" | "thaw", time: SimulatedTime): void {
    const { elapsed, wall } = time;
    if (event === "observe" || event === "enforce") {
      if (event === this.#mode.name) return;
      this.#mode = { name: event, since: elapsed };
    } else if (event === "thaw") this.#freeze = undefined;
    else {
      const from = wall.getUTCHours() * 60 + wall.getUTCMinutes();
      this.#freeze = { from, to: from + freezeMinutes, since: elapsed };
    }
    this.#current = { ...this.#current, mode: this.#mode.name, windows: this.#windows() };
  }

  /** A person accepts what is held; gives whether it is new. */
  accept(hash: string): boolean {
    const { accept } = this.#current;
    if (accept.includes(hash)) return false;
    this.#current = { ...this.#current, accept: [...accept, hash] };
    return true;
  }

  /** A person takes out what was used, to accept it again. */
  withdraw(hash: string): void {
    const accept = this.#current.accept.filter((each) => each !== hash);
    this.#current = { ...this.#current, accept };
  }

  #windows(): Config["windows"] {
    if (this.#freeze === undefined) return [];
    const { from } = this.#freeze;
    return [
      {
        name: "freeze",
        type: "freeze",
        start: `${from % 60} ${Math.floor(from / 60)} * * *`,
        durationMs: freezeMinutes * 60_000,
        timezone: "Etc/UTC",
        letStrengtheningPass: false,
      },
    ];
  }
}
