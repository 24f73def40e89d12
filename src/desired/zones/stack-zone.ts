import { memoized } from "../../syntax/remembered.ts";
import type { Mode, Suspension, ZoneContent, ZoneLabels } from "../../zone/desired-zone.ts";
import { type Diagnostic, isError } from "../../zone/diagnostic.ts";
import type { Zone } from "../../zone/zone.ts";
import type { ZoneFacts } from "../template/variables.ts";
import { conflictsIn } from "./layer-conflicts.ts";
import { mayBeElsewhere, type ZoneMerger } from "./merge-zone.ts";
import { groupsOf, layersOf, type MergedDocument } from "./merged-document.ts";
import { suspensionOf } from "./target.ts";

/** What the documents of a zone declare together. */
export interface StackedZone {
  /** `undefined` if there is an error. */
  readonly content: ZoneContent | undefined;
  readonly labels: ZoneLabels;
  /** What the documents do not tell by themselves. */
  readonly diagnostics: readonly Diagnostic[];
}

/** What the same documents were merged into before, by one document after the other. */
interface Combination {
  readonly next: (document: MergedDocument) => Combination;
  /** What every zone has; `false` if placeholders need the zone; `undefined` before the first one. */
  same: StackedZone | false | undefined;
  readonly zones: Map<string, StackedZone>;
}

const known = newCombination();

function newCombination(): Combination {
  return { next: memoized(newCombination), same: undefined, zones: new Map() };
}

/**
 * Merges the documents of a listed zone. The same documents are merged once, unless placeholders
 * need the zone; the same zone has the same content object.
 *
 * @param documents in the order of `inOrder`
 */
export function stackZone(
  documents: readonly MergedDocument[],
  { name, id, accountId }: Pick<Zone, "name" | "id" | "accountId">,
  merger: ZoneMerger,
): StackedZone {
  const combination = documents.reduce((at, document) => at.next(document), known);
  combination.same ??= sameForAll(documents, name, merger);
  if (combination.same !== false) return combination.same;
  const facts = { name, id, account: accountId };
  const key = Object.values(facts).join(" ");
  const stacked = combination.zones.get(key) ?? stackWith(documents, facts, merger);
  combination.zones.set(key, stacked);
  return stacked;
}

function sameForAll(
  documents: readonly MergedDocument[],
  zone: string,
  merger: ZoneMerger,
): StackedZone | false {
  const conflicts = conflictsIn(documents, zone, merger);
  if (conflicts.length > 0) return { content: undefined, labels: {}, diagnostics: conflicts };
  const found = stackWith(documents, {}, merger);
  return found.isSample ? false : found;
}

interface SampledZone extends StackedZone {
  /** Whether a sample is in place of a fact of the zone. */
  readonly isSample: boolean;
}

/** What documents without conflicts declare together, with placeholders filled by facts. */
export function stackWith(
  documents: readonly MergedDocument[],
  facts: ZoneFacts,
  merger: ZoneMerger,
): SampledZone {
  const top = documents.at(-1);
  if (top === undefined) throw new Error("a zone without documents");
  const filled = merger.contentWith(top.zone, layersOf(documents), facts);
  const { labels, diagnostics, isSample } = filled;
  const content = { ...filled.content, mode: modeOf(documents), suspension: suspended(documents) };
  return {
    content: diagnostics.some(isError) ? undefined : content,
    labels,
    // Warnings about what a document has by itself were told when it was loaded.
    diagnostics: diagnostics.filter((each) => isError(each) || mayBeElsewhere(each)),
    isSample,
  };
}

/** The mode of the highest priority that sets one; of several, the stricter. */
function modeOf(documents: readonly MergedDocument[]): Mode {
  const modes = groupsOf(documents).map((group) =>
    group.flatMap(({ layers }) => {
      const set = layers.map(({ content }) => content.mode).filter((mode) => mode !== undefined);
      return set.slice(-1);
    }),
  );
  const last = modes.findLast((group) => group.length > 0) ?? [];
  return last.includes("observe") ? "observe" : "enforce";
}

/** The suspension of the highest priority that sets one; of several, the longer. */
function suspended(documents: readonly MergedDocument[]): Suspension | undefined {
  const writing = groupsOf(documents).map((group) =>
    group.filter(({ document: { zone } }) => zone.content.suspend !== undefined),
  );
  const last = writing.findLast((group) => group.length > 0) ?? [];
  return last
    .map(({ document: { zone } }) => suspensionOf(zone.content).value)
    .reduce((a, b) => longer(a, b), undefined);
}

function longer(a: Suspension | undefined, b: Suspension | undefined): Suspension | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  if (a.until === undefined) return a;
  return b.until === undefined || a.until < b.until ? b : a;
}
