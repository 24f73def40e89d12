import { isJsonList, isJsonObject, type Json } from "../../syntax/json.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import { diagnosticIn, type UnplacedDiagnostic } from "../diagnostics.ts";
import type { Located, Path } from "../location.ts";
import { isListChange } from "./list-change.ts";
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

/**
 * What sets the merged value at `path`, and where in its document: the last layer that has it, else
 * the one with its nearest parent, else `zone`.
 *
 * @param path names the members of lists as {@link memberName} does
 */
export function originOf(
  zone: Layer,
  layers: readonly Layer[],
  path: Path,
): { readonly layer: Layer; readonly path: Path } {
  for (let length = path.length; length > 0; length -= 1) {
    for (const layer of layers.toReversed()) {
      const found = partIn(layer, path.slice(0, length));
      if (found !== undefined) return { layer, path: found.path };
    }
  }
  return { layer: zone, path: zone.path };
}

/** The layer that brings a member of the merged list at `path`; `undefined` if none has its text. */
export function bringerOf(layers: readonly Layer[], path: Path, member: Json): Layer | undefined {
  let bringer: Layer | undefined;
  for (const layer of layers) {
    const value = partIn(layer, path)?.value;
    if (isListChange(value)) {
      if (value.remove?.includes(member) === true) bringer = undefined;
      if (value.add?.includes(member) === true) bringer ??= layer;
    } else if (value !== undefined) {
      bringer = isJsonList(value) && value.includes(member) ? layer : undefined;
    }
  }
  return bringer;
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
 * The merged path in the document of `layer`, and the value there; `undefined` if the layer does not
 * set it.
 */
function partIn(
  layer: Layer,
  path: Path,
): { readonly path: Path; readonly value: unknown } | undefined {
  const steps: (string | number)[] = [...layer.path];
  let value: unknown = layer.content;
  for (const mergedStep of path) {
    if (typeof value !== "object" || value === null) return undefined;
    const added =
      isListChange(value) && !Object.hasOwn(value, mergedStep) ? (value.add ?? []) : undefined;
    const holder = added ?? value;
    const step = stepIn(holder, mergedStep);
    if (step === undefined) return undefined;
    steps.push(...(added ? ["add"] : []), step);
    value = Reflect.get(holder, step);
  }
  return { path: steps, value };
}

function stepIn(holder: object, step: string | number): string | number | undefined {
  const found =
    Array.isArray(holder) && typeof step === "string"
      ? holder.findIndex((item) => memberName(item) === step)
      : step;
  return Object.hasOwn(holder, found) ? found : undefined;
}

/** What names a member of a list in a path: its key, or itself; `undefined` for another map. */
export function memberName(member: unknown): string | undefined {
  return isJsonObject(member) ? identityOf(member) : String(member);
}

/** The key of an item of a keyed list; `undefined` if the list is not keyed. */
export function identityOf(item: unknown): string | undefined {
  if (!isJsonObject(item)) return undefined;
  const identity = item["key"] ?? item["category"] ?? item["id"] ?? item["url"];
  return typeof identity === "string" ? identity : undefined;
}
