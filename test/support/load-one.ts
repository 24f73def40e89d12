import { checkText } from "../../src/desired/load/check-text.ts";
import { offlineFleet } from "../../src/desired/zones/offline-fleet.ts";
import { showZone } from "../../src/desired/zones/show-zone.ts";
import { labelOf } from "../../src/desired/zones/target.ts";

/**
 * Loads one text with every step of the loader in this thread; an exception of any step is thrown.
 *
 * @returns why the text breaks what every text keeps; `undefined` if it does not.
 */
export function brokenPromise(text: string): string | undefined {
  const { documents, diagnostics } = checkText("a.yaml", text);
  offlineFleet(documents);
  for (const { target } of documents) showZone(documents, labelOf(target));
  const lines = text.split("\n");
  for (const { place, code } of diagnostics) {
    const line = lines[place.line - 1];
    if (line === undefined || place.column < 1 || place.column > line.length + 1) {
      return `${code} is at ${place.line}:${place.column}, where the text has nothing`;
    }
  }
  const isDeclaredEmpty = /zones|profiles|version|\$schema/.test(text);
  const isSilent = documents.length + diagnostics.length === 0;
  if (isSilent && !isDeclaredEmpty) return "nothing was said";
  return undefined;
}
