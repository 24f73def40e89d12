import { isJsonObject } from "../../syntax/json.ts";
import type { Target } from "../../zone/desired-zone.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import { diagnosticIn, type UnplacedDiagnostic } from "../diagnostics.ts";
import type { Located, Path } from "../location.ts";
import type { YamlProfile, YamlZoneEntry } from "./zone-file.ts";

/** A profile or an entry of `zones:` as written in a file; its shape is not checked yet. */
export interface FilePart {
  readonly document: Located;
  /** Where in the document it is. */
  readonly path: Path;
  /** Name of the profile; `undefined` for a zone. */
  readonly profile: string | undefined;
  readonly content: unknown;
  /** `false`: its file has no placeholder. */
  readonly mayBeTemplate: boolean;
}

/** One set of values that is merged into a zone: a profile, or the zone's own entry. */
export interface Layer extends FilePart {
  readonly content: YamlProfile | YamlZoneEntry;
}

/** An entry of `zones:`. */
export interface ZoneLayer extends Layer {
  readonly content: YamlZoneEntry;
}

/** The layers of a declared zone, the zone itself last. */
export interface TraceEntry {
  readonly target: Target;
  readonly layers: readonly Layer[];
}

/**
 * What sets the merged value at `path`, and where in its document: the last layer that has it, else
 * the one with its nearest parent, else `zone`.
 *
 * @param path names the items of keyed lists by their key, and all others by their index
 */
export function originOf(
  zone: Layer,
  layers: readonly Layer[],
  path: Path,
): { readonly layer: Layer; readonly path: Path } {
  for (let length = path.length; length > 0; length -= 1) {
    for (const layer of layers.toReversed()) {
      const found = pathIn(layer, path.slice(0, length));
      if (found !== undefined) return { layer, path: found };
    }
  }
  return { layer: zone, path: zone.path };
}

/** A diagnostic whose path is relative to a part of a file; for the part as a whole, at its key. */
export function diagnosticInPart(
  { document, path: above }: FilePart,
  unplaced: UnplacedDiagnostic,
): Diagnostic {
  const { path, atKey = path.length === 0 } = unplaced;
  return diagnosticIn(document, { ...unplaced, path: [...above, ...path], atKey });
}

/**
 * Where in the document of `layer` the merged path is; `undefined` if the layer does not set it.
 */
function pathIn(layer: Layer, path: Path): Path | undefined {
  const steps: (string | number)[] = [...layer.path];
  let holder: unknown = layer.content;
  for (const mergedStep of path) {
    if (typeof holder !== "object" || holder === null) return undefined;
    const step = stepIn(holder, mergedStep);
    if (step === undefined) return undefined;
    steps.push(step);
    holder = Reflect.get(holder, step);
  }
  return steps;
}

function stepIn(holder: object, step: string | number): string | number | undefined {
  const found =
    Array.isArray(holder) && typeof step === "string"
      ? holder.findIndex((item) => identityOf(item) === step)
      : step;
  return Object.hasOwn(holder, found) ? found : undefined;
}

/** The key of an item of a keyed list; `undefined` if the list is not keyed. */
export function identityOf(item: unknown): string | undefined {
  if (!isJsonObject(item)) return undefined;
  const identity = item["key"] ?? item["category"] ?? item["id"] ?? item["url"];
  return typeof identity === "string" ? identity : undefined;
}
