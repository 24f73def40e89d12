import { didYouMean } from "../../syntax/nearest.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import { keyPlace, type Path } from "../location.ts";
import { diagnosticInPart, type Layer } from "./layer.ts";

/** The layers of a profile or zone, in the order of merging. */
export interface Stack {
  readonly layers: readonly Layer[];
  /** Of the layer's own list of profiles; those of the profiles it extends are reported there. */
  readonly diagnostics: readonly Diagnostic[];
  /** Whether a profile is missing or broken, so that the layers are incomplete. */
  readonly broken: boolean;
}

/** The profiles of all files. */
export class Profiles {
  readonly #byName = new Map<string, Layer>();
  readonly #repeated = new Map<string, readonly Layer[]>();
  /** Files without a usable version, which may define an unknown profile. */
  readonly #unusableFiles: readonly string[];
  /** Names of profiles that violate the schema. */
  readonly #invalid: ReadonlySet<string>;
  readonly #stacks = new Map<string, Stack>();
  readonly #used = new Set<string>();

  constructor(
    layers: readonly Layer[],
    unusableFiles: readonly string[],
    invalid: readonly string[] = [],
  ) {
    this.#unusableFiles = unusableFiles;
    this.#invalid = new Set(invalid);
    for (const [name, same] of Map.groupBy(layers, ({ profile }) => profile ?? "")) {
      for (const layer of same) this.#byName.set(name, layer);
      if (same.length > 1) this.#repeated.set(name, same);
    }
  }

  /** Diagnostics of the profiles themselves. */
  diagnostics(): readonly Diagnostic[] {
    return [
      ...[...this.#repeated.values()].flatMap(repeatedProfiles),
      ...[...this.#byName.keys()].flatMap((name) => this.#stackOf(name, []).diagnostics),
    ];
  }

  /** Warns about profiles that no zone and no other profile uses. */
  unused(): readonly Diagnostic[] {
    return [...this.#byName]
      .filter(([name]) => !this.#used.has(name))
      .map(([name, layer]) =>
        diagnosticInPart(layer, {
          code: "UNUSED_PROFILE",
          path: [],
          message: `no zone uses the profile "${name}"`,
          remedy: "delete it, or add it to a zone",
        }),
      );
  }

  /** The layers of a zone: its profiles with those that they extend, then itself. */
  stackFor(zone: Layer, names: readonly string[]): Stack {
    return this.#resolve(zone, "profiles", names, []);
  }

  #stackOf(name: string, under: readonly string[]): Stack {
    const known = this.#stacks.get(name);
    if (known !== undefined) return known;
    const layer = this.#byName.get(name);
    if (layer === undefined || this.#repeated.has(name)) {
      return { layers: [], diagnostics: [], broken: true };
    }
    const names = "extends" in layer.content ? (layer.content.extends ?? []) : [];
    const stack = this.#resolve(layer, "extends", names, [...under, name]);
    this.#stacks.set(name, stack);
    return stack;
  }

  #resolve(layer: Layer, key: string, names: readonly string[], under: readonly string[]): Stack {
    const layers = new Set<Layer>();
    const diagnostics: Diagnostic[] = [];
    let broken = false;
    for (const [index, name] of names.entries()) {
      this.#used.add(name);
      const diagnostic = this.#checkReference(layer, [key, index], name, under);
      if (diagnostic !== undefined) {
        diagnostics.push(diagnostic);
        broken = true;
        continue;
      }
      const stack = this.#stackOf(name, under);
      broken ||= stack.broken;
      for (const inner of stack.layers) layers.add(inner);
    }
    return { layers: [...layers, layer], diagnostics, broken };
  }

  #checkReference(
    layer: Layer,
    path: Path,
    name: string,
    under: readonly string[],
  ): Diagnostic | undefined {
    if (under.includes(name)) {
      const cycle = [...under.slice(under.indexOf(name)), name].join(" → ");
      const message = `profiles extend each other in a cycle: ${cycle}`;
      const remedy = "remove one of them from an `extends`";
      return diagnosticInPart(layer, { code: "PROFILE_CYCLE", path, message, remedy });
    }
    if (this.#byName.has(name) || this.#invalid.has(name)) return undefined;
    const message = `no file defines the profile "${name}"`;
    const remedy = this.#remedyForUnknown(name);
    return diagnosticInPart(layer, { code: "UNKNOWN_PROFILE", path, message, remedy });
  }

  #remedyForUnknown(name: string): string {
    const guess = didYouMean(name, this.#byName.keys());
    if (guess !== "") return guess;
    const [file] = this.#unusableFiles;
    return file === undefined
      ? "define it under `profiles:` in one of the files"
      : `define it under \`profiles:\`; ${file} may define it, but has errors itself`;
  }
}

/** None of them is used: the choice would depend on file names. */
function repeatedProfiles(layers: readonly Layer[]): readonly Diagnostic[] {
  return layers.map((layer) => {
    const other = layers.find((candidate) => candidate !== layer) ?? layer;
    const { file, line } = keyPlace(other.document, other.path);
    const message = `the profile "${layer.profile}" is also defined in ${file}, line ${line}`;
    const remedy = "rename or delete one of the two";
    return diagnosticInPart(layer, { code: "PROFILE_TWICE", path: [], message, remedy });
  });
}
