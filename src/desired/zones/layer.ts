import type { Place } from "../../zone/desired-zone.ts";
import type { DiagnosticCode } from "../../zone/diagnostic-codes.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import { problemOf } from "../diagnostics.ts";
import type { Words } from "../diagnostics.ts";
import { keyOffset, valueOffset } from "../location.ts";
import type { Located } from "../location.ts";
import type { Path } from "../yaml/path.ts";
import { placeAt } from "../yaml/source.ts";
import { identityOf } from "./merge.ts";
import type { Profile, ZoneEntry } from "./zone-file.ts";

/** One set of values that a zone is made of: a profile, or what the zone says itself. */
export interface Layer {
  readonly document: Located;
  /** Where in the document it stands. */
  readonly path: Path;
  /** Name of the profile; `undefined` for a zone. */
  readonly profile: string | undefined;
  readonly content: Profile | ZoneEntry;
}

/** Steps into merged values: an item of a keyed list is named by its key, any other one by its index. */
export type MergedPath = readonly (string | number)[];

/** What set a merged value. */
export interface Origin {
  readonly layer: Layer;
  /** In the layer's document. */
  readonly path: Path;
}

/**
 * What set the value at `path`, or what comes nearest to it: the last layer that says something there,
 * `zone` where none does.
 */
export function originOf(zone: Layer, layers: readonly Layer[], path: MergedPath): Origin {
  for (let length = path.length; length > 0; length -= 1) {
    for (const layer of layers.toReversed()) {
      const found = pathIn(layer, path.slice(0, length));
      if (found !== undefined) return { layer, path: found };
    }
  }
  return { layer: zone, path: zone.path };
}

/** A problem of the value at `path` below a layer; one of the layer as a whole stands at its name. */
export function problemIn(
  { document, path: above }: Pick<Layer, "document" | "path">,
  path: Path,
  code: DiagnosticCode,
  words: Words,
): Diagnostic {
  const whole = [...above, ...path];
  const offset = path.length > 0 ? valueOffset(document, whole) : keyOffset(document, whole);
  return problemOf(document.source, code, offset, whole, words);
}

/** A problem of the value at `origin`. */
export function problemAt({ layer, path }: Origin, code: DiagnosticCode, words: Words): Diagnostic {
  const { document } = layer;
  return problemOf(document.source, code, valueOffset(document, path), path, words);
}

/** A problem of the key of `origin`. */
export function problemAtKey(
  { layer, path }: Origin,
  code: DiagnosticCode,
  words: Words,
): Diagnostic {
  const { document } = layer;
  return problemOf(document.source, code, keyOffset(document, path), path, words);
}

/** Place of the key that a value stands under. */
export function keyPlace({ layer, path }: Origin): Place {
  return placeAt(layer.document.source, keyOffset(layer.document, path));
}

/** Where in the layer's document `path` is; `undefined` where the layer says nothing of it. */
function pathIn(layer: Layer, path: MergedPath): Path | undefined {
  const steps: (string | number)[] = [...layer.path];
  let holder: unknown = layer.content;
  for (const step of path) {
    const inner = stepIn(holder, step);
    if (inner === undefined) return undefined;
    steps.push(inner.step);
    holder = inner.value;
  }
  return steps;
}

interface Step {
  readonly step: string | number;
  readonly value: unknown;
}

function stepIn(holder: unknown, step: string | number): Step | undefined {
  if (Array.isArray(holder)) {
    const index =
      typeof step === "number" ? step : holder.findIndex((item) => identityOf(item) === step);
    return index in holder ? { step: index, value: holder[index] } : undefined;
  }
  if (typeof holder !== "object" || holder === null) return undefined;
  const name = [step, otherNames[step]].find(
    (key) => key !== undefined && Object.hasOwn(holder, key),
  );
  return name === undefined ? undefined : { step: name, value: Reflect.get(holder, name) };
}

const otherNames: Readonly<Record<string, string>> = {
  use_cloudflare_reporting_endpoint: "use_service_reporting_endpoint",
};
