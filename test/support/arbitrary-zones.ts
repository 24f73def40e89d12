import * as fc from "fast-check";

import { plan } from "../../src/plan/plan.ts";
import {
  byPhase,
  type Declared,
  type DesiredZone,
  type UnmanagedMode,
} from "../../src/zone/desired-zone.ts";
import type { LiveZone } from "../../src/zone/live-zone.ts";
import { settingNames, type Policy, type Rule } from "../../src/zone/resource.ts";
import { declaredPolicy, livePolicies } from "./arbitrary-policies.ts";
import { declaredRules, liveEntrypoint } from "./arbitrary-rules.ts";
import { desiredZone, liveZone, owner } from "./model.ts";
import { statesOf } from "./service-model.ts";

/** What is declared and what is live for one zone. */
export interface Pair {
  readonly desired: DesiredZone;
  readonly live: LiveZone;
}

/** Pairs as unlike as the service and the files allow. */
const unlikePairs: fc.Arbitrary<Pair> = fc
  .record({
    settings: fc.uniqueArray(
      fc.record({ name: fc.constantFrom(...settingNames), value: fc.boolean() }),
      { selector: ({ name }) => name },
    ),
    policies: declaredList(fc.uniqueArray(declaredPolicy, { selector: (each) => each.key })),
    managed_rules: declaredList(declaredRules),
  })
  .map(({ managed_rules: rules, ...content }) => ({
    ...content,
    rules: byPhase((phase) => (phase === "managed_rules" ? rules : undefined)),
  }))
  .chain((content) =>
    fc
      .record({
        settings: fc.record({
          enabled: fc.boolean(),
          use_cloudflare_reporting_endpoint: fc.boolean(),
          use_connection_url_path: fc.boolean(),
        }),
        policies: livePolicies(content.policies?.items ?? []),
        entrypoints: fc.record({ managed_rules: liveEntrypoint }),
      })
      .map((live) => ({ desired: desiredZone(content), live: liveZone(live) })),
  );

/** Pairs in which what was declared is live, and then a little of the declaration changed. */
const nearPairs: fc.Arbitrary<Pair> = fc
  .tuple(unlikePairs, fc.infiniteStream(fc.nat(9)))
  .map(([{ desired, live }, dice]) => {
    const { writes, holds } = plan(desired, live, owner);
    const after = holds.length > 0 ? live : (statesOf(live, writes).at(-1) ?? live);
    return { desired: edited(desired, dice), live: after };
  });

/** Pairs of a declared and a live zone. */
export const pairs: fc.Arbitrary<Pair> = fc.oneof(unlikePairs, nearPairs);

/** A declaration of which each item was dropped, switched or moved with a chance of one in ten each. */
function edited({ zone, content }: DesiredZone, dice: Iterator<number>): DesiredZone {
  const { policies, rules } = content;
  const edit = <T extends Policy | Rule>(items: readonly T[]): readonly T[] =>
    items.reduce<readonly T[]>((list, item) => {
      const roll: unknown = dice.next().value;
      if (roll === 0) return list;
      if (roll === 1) return [{ ...item, enabled: !item.enabled, promotion: undefined }, ...list];
      if (roll === 2) return [item, ...list];
      return [...list, item];
    }, []);
  return {
    zone,
    content: {
      ...content,
      policies: policies && { ...policies, items: edit(policies.items) },
      rules: byPhase((phase) => {
        const declared = rules[phase];
        return declared && { ...declared, items: edit(declared.items) };
      }),
    },
  };
}

function declaredList<T>(items: fc.Arbitrary<readonly T[]>): fc.Arbitrary<Declared<T> | undefined> {
  return fc.option(
    fc.record({ items, unmanaged: fc.constantFrom<UnmanagedMode>("report", "delete", "ignore") }),
    {
      nil: undefined,
      freq: 8,
    },
  );
}
