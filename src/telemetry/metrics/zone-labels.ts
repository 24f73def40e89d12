import type { ZoneState } from "../../state/zone-state.ts";
import { compareText } from "../../syntax/by-text.ts";
import type { ZoneLabels } from "../../zone/desired-zone.ts";
import { other } from "./api-labels.ts";

/** Labels of zones that their metrics have: the label of the metrics by the key of the label. */
export type ExportedLabels = Readonly<Record<string, string>>;

/** Values of a label that metrics have, the first ones in their order; each of the others is `other`. */
const mostValues = 50;

/** What metrics say of the labels of zones. */
export interface ZoneLabelTexts {
  /** `,label_team="payments"`; "" for a zone without these labels. */
  readonly textOf: (labels: ZoneLabels) => string;
  /** The keys that have more values than metrics have. */
  readonly crowded: readonly string[];
}

/** Bounds the values of exported labels over all zones: the same zones always give the same series. */
export function zoneLabelTexts(
  zones: readonly ZoneState[],
  exported: ExportedLabels,
): ZoneLabelTexts {
  const known = Object.entries(exported).map(([key, name]) => {
    const values = new Set(zones.flatMap(({ declared: { labels } }) => labels[key] ?? []));
    const shown = [...values].toSorted(compareText).slice(0, mostValues);
    return { key, name, shown: new Set(shown), isCrowded: values.size > mostValues };
  });
  return {
    // A value needs no escaping: it consists of letters, digits, dots, hyphens and underscores (zones.schema.json).
    textOf: (labels) =>
      known
        .map(({ key, name, shown }) => {
          const value = labels[key];
          if (value === undefined) return "";
          return `,${name}="${shown.has(value) ? value : other}"`;
        })
        .join(""),
    crowded: known.filter(({ isCrowded }) => isCrowded).map(({ key }) => key),
  };
}
