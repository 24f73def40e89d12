import type { LiveEntrypoint } from "../../zone/live-zone.ts";
import type { EntrypointVersion, ReadRules } from "../../zone/ports.ts";
import { factsOfPhase, type RulePhase } from "../../zone/rule-phase.ts";
import type { RulesetHead } from "../../zone/ruleset.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { RulesPart } from "../../zone/write.ts";
import type { Zone } from "../../zone/zone.ts";
import type { Get } from "../request/call.ts";
import { listRulesets } from "./read-rulesets.ts";

const absent = "absent";

/** The version of an entry point, with its id: created again, it has another id and version 1. "": unknown. */
function versionOf(shown: { readonly id: string; readonly version: string }): string {
  return shown.id === "" || shown.version === "" ? "" : `${shown.id} ${shown.version}`;
}

export function versionOfEntrypoint(live: LiveEntrypoint): string {
  return live.state === "absent" ? absent : versionOf(live);
}

/** The versions of custom rulesets, whatever their order. */
export function versionOfCustom(
  rulesets: readonly { readonly id: string; readonly version: string }[],
): string {
  const versions = rulesets.map(versionOf).toSorted();
  return versions.includes("") ? "" : ["custom", ...versions].join(" ");
}

/** The version of the entry point of a phase, or of the custom rulesets, in the listing of its zone. */
export function versionInListing(heads: readonly RulesetHead[], part: RulesPart): string {
  if (part === "custom_rulesets") return versionOfCustom(customIn(heads));
  const { wire } = factsOfPhase(part);
  const [found, ...others] = heads.filter((head) => head.kind === "zone" && head.phase === wire);
  if (found === undefined) return absent;
  return others.length === 0 ? versionOf(found) : "";
}

/** Whether the listing of a zone names an entry point of a phase. */
export function isListed(heads: readonly RulesetHead[], phase: RulePhase): boolean {
  return versionInListing(heads, phase) !== absent;
}

/** The custom rulesets of the phase of custom rules in a listing (SERVICE.md B.13). */
export function customIn(heads: readonly RulesetHead[]): readonly RulesetHead[] {
  const { wire } = factsOfPhase("custom_rules");
  return heads.filter((head) => head.kind === "custom" && head.phase === wire);
}

/** Entry points that were read in full; `undefined` if a version is unknown. */
export function rulesRead(
  entrypoints: readonly (readonly [RulesPart, EntrypointVersion & { readonly sentAt: number }])[],
): ReadRules | undefined {
  if (entrypoints.length === 0 || entrypoints.some(([, { version }]) => version === "")) {
    return undefined;
  }
  return {
    readAt: Math.min(...entrypoints.map(([, { sentAt }]) => sentAt)),
    entrypoints: new Map(
      entrypoints.map(([part, { version, digest }]) => [part, { version, digest }]),
    ),
  };
}

/**
 * When the listing of a zone's rulesets was requested, if it shows the versions of the entry points
 * that were read before (SERVICE.md B.1); `undefined`: they must be read in full, since one has
 * changed, or since the listing fails.
 */
export async function listUnchanged(
  send: Get,
  zone: Zone,
  { entrypoints }: ReadRules,
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    const { heads, sentAt } = await listRulesets(send, { level: "zone", zone }, signal);
    const isSame = [...entrypoints].every(
      ([part, { version }]) => versionInListing(heads, part) === version,
    );
    return isSame ? sentAt : undefined;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return undefined;
  }
}
