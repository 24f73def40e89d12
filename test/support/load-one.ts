import { joinZoneFiles } from "../../src/desired/load/join-zone-files.ts";
import { parseZoneFile, type ParsedFile } from "../../src/desired/load/parse-zone-file.ts";
import { applySuppressions } from "../../src/desired/load/suppressions.ts";
import { showZone } from "../../src/desired/zones/show-zone.ts";
import type { Diagnostic } from "../../src/zone/diagnostic.ts";

/** Loads one text as the loader does, with every step in this thread; an exception of any step is thrown. */
export function loadOne(text: string): {
  readonly parsed: ParsedFile;
  readonly diagnostics: readonly Diagnostic[];
} {
  const parsed = parseZoneFile("a.yaml", "hash", new TextEncoder().encode(text));
  const good = parsed.usable ? parsed : undefined;
  const joined = joinZoneFiles(
    [{ current: parsed, good, lastDocuments: [] }],
    new WeakMap(),
    (error) => {
      throw error;
    },
  );
  for (const { label } of joined.trace) showZone(joined.trace, label);
  return { parsed, ...applySuppressions(joined.diagnostics, [parsed]) };
}

/** Why a loaded text breaks what every text keeps; `undefined` if it does not. */
export function brokenPromise(text: string): string | undefined {
  const { parsed, diagnostics } = loadOne(text);
  const lines = text.split("\n");
  for (const { place, code } of diagnostics) {
    const line = lines[place.line - 1];
    if (line === undefined || place.column < 1 || place.column > line.length + 1) {
      return `${code} is at ${place.line}:${place.column}, where the text has nothing`;
    }
  }
  const nothing = parsed.zones.length + parsed.profiles.length === 0;
  const isDeclaredEmpty = /zones|profiles|\$schema/.test(text);
  if (nothing && diagnostics.length === 0 && !isDeclaredEmpty) return "nothing was said";
  return undefined;
}
