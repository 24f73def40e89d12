import type { ZoneContent, ZoneDocument, ZoneLabels } from "../../zone/desired-zone.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import { conflictsIn } from "./layer-conflicts.ts";
import { factsOfTarget, ZoneMerger } from "./merge-zone.ts";
import { isMerged } from "./merged-document.ts";
import { offlineLabels, offlineZone, type OfflineZone } from "./offline-zone.ts";
import { stackWith } from "./stack-zone.ts";
import { labelOf } from "./target.ts";

/** What files say of an entry of `zones:` without the listing. */
export interface DeclaredEntry extends OfflineZone {
  /** The name or the id of its zone, or its `match`. */
  readonly name: string;
  readonly labels: ZoneLabels;
  /** `undefined`: only the listing tells, or there is an error. */
  readonly content: ZoneContent | undefined;
  /** What is wrong with all entries of the zone together. */
  readonly diagnostics: readonly Diagnostic[];
}

/** The entries of all files: those by name or id as their zones get them, in the order of the files. */
export function offlineFleet(documents: readonly ZoneDocument[]): readonly DeclaredEntry[] {
  const merger = new ZoneMerger();
  return documents.filter(isMerged).map((document): DeclaredEntry => {
    const name = labelOf(document.target);
    const found = offlineZone(name, documents);
    const entry = { ...found, name, labels: offlineLabels(found) };
    if (document.needsListing !== true) {
      return { ...entry, content: document.content, diagnostics: [] };
    }
    if (document.target.by === "selector" || found.uncertain.size > 0) {
      return { ...entry, content: undefined, diagnostics: [] };
    }
    const conflicts = conflictsIn(found.documents, name, merger);
    if (conflicts.length > 0) return { ...entry, content: undefined, diagnostics: conflicts };
    const { content, diagnostics } = stackWith(
      found.documents,
      factsOfTarget(document.target),
      merger,
    );
    return { ...entry, content, diagnostics };
  });
}
