import { byText } from "../../syntax/by-text.ts";
import { sha256 } from "../../syntax/digest.ts";
import { canonicalJson, coerceObject, isJsonList, type JsonObject } from "../../syntax/json.ts";
import { memoized } from "../../syntax/remembered.ts";
import type { Declared, ZoneDocument } from "../../zone/desired-zone.ts";
import type { Policy } from "../../zone/resource.ts";
import { rulePhases } from "../../zone/rule-phase.ts";
import { identityOf, type Layer } from "./layer.ts";
import { isMerged } from "./merged-document.ts";
import { labelOf } from "./target.ts";
import { sections } from "./zone-lists.ts";

/**
 * `sha256-` and the hash of all that documents declare, before any of it is found in a listing. The
 * order of zones and of policies does not count, nor where something is written.
 */
export function declaredHash(documents: readonly ZoneDocument[]): string {
  const entries = documents.map(entryOf).toSorted();
  return `sha256-${sha256(entries.join("\n"))}`;
}

function entryOf(document: ZoneDocument): string {
  const { target, content, labels } = document;
  const { mode, suspension = null, settings, policies, rules, customRulesets, scripts } = content;
  if (document.needsListing === true && isMerged(document)) {
    return canonicalJson([labelOf(target), suspension, rawDigest(document)]);
  }
  return canonicalJson([
    labelOf(target),
    mode,
    suspension,
    digestOf(settings),
    policies && digestOfPolicies(policies),
    ...rulePhases.map((phase) => rules[phase] && digestOf(rules[phase])),
    customRulesets && digestOf(customRulesets),
    scripts && digestOf(scripts),
    labels,
  ]);
}

/** Digest of all from which the listing makes the content: the values of the layers as written. */
export function rawDigest(document: ZoneDocument): string {
  if (!isMerged(document)) return "";
  const { zone, layers } = document;
  const { priority = 0, layers: isLayer = false } = zone.content;
  return sha256(canonicalJson([priority, isLayer, ...layers.map(layerDigest)]));
}

const layerDigest = memoized(({ profile = "", content }: Layer): string => {
  const values = Object.entries(content).filter(
    ([key]) => sections.has(key) || ["mode", "labels", "vars"].includes(key),
  );
  return sha256(canonicalJson([profile, withoutOrder(Object.fromEntries(values))]));
});

/** The values of a layer with its policies in the order of their keys. */
function withoutOrder(values: JsonObject): JsonObject {
  const shield = coerceObject(values["page_shield"]);
  const policies = coerceObject(shield["policies"]);
  if (!isJsonList(policies["items"])) return values;
  const items = policies["items"].toSorted(byText((item) => identityOf(item) ?? ""));
  return { ...values, page_shield: { ...shield, policies: { ...policies, items } } };
}

const digestOf = memoized((part: object): string => sha256(canonicalJson(part)));

/** The service keeps no order of policies. */
const digestOfPolicies = memoized(({ items, unmanaged }: Declared<Policy>): string =>
  sha256(canonicalJson({ items: items.toSorted(byText(({ key }) => key)), unmanaged })),
);
