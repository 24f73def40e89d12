import { didYouMean } from "../../syntax/nearest.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import type { ZoneName } from "../../zone/zone.ts";
import { diagnosticAt } from "../diagnostics.ts";
import { lintOf } from "../lint.ts";
import type { Config } from "./config.ts";

/** Warnings about zones that a wave names and that are not declared: the wave begins without them. */
export function undeclaredCanaries(
  { canaries, lint }: Pick<Config, "canaries" | "lint">,
  declared: ReadonlySet<ZoneName>,
): readonly Diagnostic[] {
  const found = canaries
    .filter(({ name }) => !declared.has(name))
    .map(({ name, place, path }) => {
      const remedy = didYouMean(name, declared) || "correct the name, or declare the zone";
      const message = `no file declares the zone ${name}`;
      return { ...diagnosticAt(place, { code: "WAVE_ZONE_UNDECLARED", message, remedy }), path };
    });
  return lintOf(lint)(found);
}
