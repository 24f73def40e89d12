import type { AdoptedRule } from "../plan/ownership.ts";
import { coerceObjects, coerceText, parseJson } from "../syntax/json.ts";
import { isServiceId } from "../zone/service-id.ts";
import type { ZoneName } from "../zone/zone.ts";

/** The keys of adopted rules begin with it. */
export const adoptedPrefix = "adopted/";

/** The key of the adopted rules of a zone in the state. */
export function adoptedKey(zone: ZoneName): string {
  return `${adoptedPrefix}${zone}`;
}

/** Adopted rules as they are stored; `undefined` for none. */
export function adoptedRulesText(rules: readonly AdoptedRule[]): string | undefined {
  if (rules.length === 0) return undefined;
  return JSON.stringify(rules.map(({ id, ref, key }) => ({ id, ref, key })));
}

const none: readonly AdoptedRule[] = [];

/** The adopted rules in a stored text; what is stored wrongly was not adopted. */
export function adoptedRulesIn(text: string | undefined): readonly AdoptedRule[] {
  if (text === undefined) return none;
  const rules = coerceObjects(parseJson(text)).map(({ id, ref, key }) => ({
    id: coerceText(id),
    ref: coerceText(ref),
    key: coerceText(key),
  }));
  return rules.every(isWhole) ? rules : none;
}

function isWhole({ id, ref, key }: AdoptedRule): boolean {
  return isServiceId(id) && ref !== "" && key !== "";
}
