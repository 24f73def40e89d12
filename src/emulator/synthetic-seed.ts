import type { Seed } from "./seed.ts";

/** The small synthetic account that an emulator shows where no seed is given. */
export declare function syntheticSeed(): Seed;
