import type { Seed } from "./seed.ts";

/** How much a generated seed holds: so many zones, and in each so many policies and scripts. */
export interface Generation {
  readonly zones: number;
  readonly policies: number;
  readonly scripts: number;
  /** Equal numbers give equal seeds. */
  readonly seed: number;
}

/** Reads `zones=1000,policies=3,scripts=50,seed=1`; a text, where it cannot be read, says why. */
export declare function parseGeneration(text: string): Generation | string;

/** Makes a synthetic seed of the wanted size. */
export declare function generateSeed(generation: Generation): Seed;
