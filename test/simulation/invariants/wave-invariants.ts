import type { Effect } from "../ledger.ts";
import { soakMs } from "../stories.ts";
import type { Invariant, Truth } from "./invariant.ts";
import { differencesOf } from "./oracle.ts";

/** Whether a zone was as its files ever declared it, for the soak before a write. */
function hasSoaked(name: string, { request: { at } }: Effect, { ledger }: Truth): boolean {
  const declared = ledger.declaredSince(name, 0);
  // What the files drop keeps nobody waiting.
  if (declared.includes(undefined)) return true;
  // What somebody else undoes during a run was applied.
  if (ledger.isDisturbed(name) || ledger.statesOf(name).size > 1) return true;
  return ledger.effects.some(
    (effect) =>
      effect.before.name === name &&
      effect.at <= at - soakMs &&
      declared.some(
        (content) => content !== undefined && differencesOf(effect.after, content).length === 0,
      ),
  );
}

export const waveInvariants: readonly Invariant[] = [
  {
    name: "no-zone-before-its-wave",
    sentence:
      "No zone is changed before each zone of the earlier waves was as declared for the soak, but to switch Page Shield on.",
    onEffect: (effect, truth) => {
      const { before, after } = effect;
      const { waves, ledger, files } = truth;
      // What was never loaded is not declared.
      if (files.areSpoilt || ledger.disturbed.some(({ does }) => does === "files_broken")) {
        return undefined;
      }
      // Between two processes, the time is that of the clock on the wall.
      if (ledger.disturbed.some(({ does }) => does === "clock_forward")) return undefined;
      if (truth.promoted.has(before.name)) return undefined;
      const wave = waves.findIndex((zones) => zones.includes(before.name));
      const protects = !before.settings.enabled && after.settings.enabled;
      if (protects) return undefined;
      const late = waves
        .slice(0, Math.max(0, wave))
        .flat()
        .find((name) => !hasSoaked(name, effect, truth));
      return late === undefined ? undefined : `${before.name} was changed before ${late}`;
    },
  },
  {
    name: "no-wave-while-halted",
    sentence:
      "No zone becomes as declared that waited when a person paused or aborted the rollout.",
    onEffect: ({ before, after, request: { sender } }, { halted, ledger }) => {
      const declared = ledger.declared.at(-1)?.zones[before.name];
      // A process with another store has not heard of it.
      const isKnown = sender !== "plan" && halted.get(before.name) === sender.files;
      if (!isKnown || declared === undefined) return undefined;
      const isStep = differencesOf(before, declared).length > differencesOf(after, declared).length;
      const isOver = isStep && differencesOf(after, declared).length === 0;
      return isOver ? `${before.name} went` : undefined;
    },
  },
];
