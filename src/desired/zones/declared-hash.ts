import { byText } from "../../syntax/by-text.ts";
import { sha256 } from "../../syntax/digest.ts";
import { canonicalJson } from "../../syntax/json.ts";
import type { Declared, ZoneDocument } from "../../zone/desired-zone.ts";
import type { Policy } from "../../zone/resource.ts";
import { rulePhases } from "../../zone/rule-phase.ts";
import { labelOf } from "./target.ts";

/**
 * `sha256-` and the hash of all that documents declare, before any of it is found in a listing. The
 * order of zones and of policies does not count, nor where something is written.
 */
export function declaredHash(documents: readonly ZoneDocument[]): string {
  const entries = documents.map(entryOf).toSorted();
  return `sha256-${sha256(entries.join("\n"))}`;
}

function entryOf({ target, content, template = "" }: ZoneDocument): string {
  const { mode, suspension = null, settings, policies, rules, scripts } = content;
  const parts = [
    digestOf(settings),
    policies && digestOf(policies, byKey),
    ...rulePhases.map((phase) => rules[phase] && digestOf(rules[phase])),
    scripts && digestOf(scripts),
  ];
  return canonicalJson([labelOf(target), mode, suspension, template, ...parts]);
}

/** The service keeps no order of policies. */
function byKey({ items, unmanaged }: Declared<Policy>): Declared<Policy> {
  return { items: items.toSorted(byText(({ key }) => key)), unmanaged };
}

/** Zones that share a profile share the objects of its parts. */
const digests = new WeakMap<object, string>();

function digestOf<T extends object>(part: T, inOrder: (part: T) => T = (same) => same): string {
  const known = digests.get(part);
  if (known !== undefined) return known;
  const digest = sha256(canonicalJson(inOrder(part)));
  digests.set(part, digest);
  return digest;
}
