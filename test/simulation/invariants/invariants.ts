import { effectInvariants } from "./effect-invariants.ts";
import type { Invariant } from "./invariant.ts";
import { metricInvariants } from "./metric-invariants.ts";
import { reportInvariants } from "./report-invariants.ts";
import { restInvariants } from "./rest-invariants.ts";
import { sendingInvariants } from "./sending-invariants.ts";
import { waveInvariants } from "./wave-invariants.ts";

/** What the simulation itself asks, when it comes to rest. */
const phaseInvariants: readonly Invariant[] = [
  {
    name: "converges",
    sentence: "Once nothing disturbs any more, all zones are as declared after four sweeps.",
  },
  {
    name: "then-writes-nothing",
    sentence: "Once the zones are as declared, sweeps write nothing.",
  },
  { name: "no-unhandled-rejection", sentence: "No promise is rejected without a handler." },
  { name: "stops", sentence: "A process ends within two minutes of SIGTERM." },
  {
    name: "one-process-a-state",
    sentence:
      "A second process with the same state directory does not start; one with the same database waits.",
  },
];

/** Everything that holds always. */
export const invariants: readonly Invariant[] = [
  ...sendingInvariants,
  ...effectInvariants,
  ...reportInvariants,
  ...restInvariants,
  ...metricInvariants,
  ...waveInvariants,
  ...phaseInvariants,
];
