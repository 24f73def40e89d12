import { seededRandom } from "../../src/emulator/control/faults.ts";
import type { Seed } from "../../src/emulator/seed/seed.ts";
import {
  type Emulator,
  type EmulatorOptions,
  startEmulator,
} from "../../src/emulator/start-emulator.ts";

/** Starts an emulator on a free port of the loopback address, which never waits and keeps nothing on disk. */
export function loopbackEmulator(
  seed: Seed,
  options: Partial<EmulatorOptions> = {},
): Promise<Emulator> {
  return startEmulator({
    listen: { host: "127.0.0.1", port: 0 },
    seed,
    statePath: undefined,
    dialect: "published",
    clock: { now: () => new Date() },
    random: seededRandom(1),
    sleep: () => Promise.resolve(),
    ...options,
  });
}
