import { nearestOfMany } from "../../syntax/nearest.ts";
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

/** The most profiles that a zone or a profile uses, directly or through others. */
const maxProfiles = 100;

/** A profile of which not all that it extends is resolved. */
interface OpenProfile {
  readonly name: string;
  readonly layer: Layer;
  readonly names: readonly string[];
  readonly left: Iterator<[number, string], undefined>;
  readonly cycles: Map<number, string>;
}

/** By the index of a reference: the cycle that it closes. */
type Cycles = ReadonlyMap<number, string>;

const brokenStack: Stack = { layers: [], diagnostics: [], broken: true };

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
  /** `did you mean` for names that no file defines. */
  readonly #guess: (name: string) => string | undefined;

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
    this.#guess = nearestOfMany([...this.#byName.keys()]);
    for (const name of this.#byName.keys()) this.#visit(name);
  }

  /** Diagnostics of the profiles themselves. */
  diagnostics(): readonly Diagnostic[] {
    return [
      ...[...this.#repeated.values()].flatMap(repeatedProfiles),
      ...[...this.#byName.keys()].flatMap((name) => this.#stackOf(name).diagnostics),
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
    return this.#resolve(zone, "profiles", names, new Map());
  }

  #stackOf(name: string): Stack {
    return this.#stacks.get(name) ?? brokenStack;
  }

  /**
   * Resolves a profile after those that it extends, without recursion: a chain may have thousands
   * of profiles.
   */
  #visit(root: string): void {
    const open: OpenProfile[] = [];
    const depths = new Map<string, number>();
    const enter = (name: string): void => {
      const layer = this.#byName.get(name);
      if (layer === undefined || this.#repeated.has(name) || this.#stacks.has(name)) return;
      const names = "extends" in layer.content ? (layer.content.extends ?? []) : [];
      depths.set(name, open.length);
      open.push({ name, layer, names, left: names.entries(), cycles: new Map() });
    };
    enter(root);
    for (let profile = open.at(-1); profile !== undefined; profile = open.at(-1)) {
      const { name, layer, names, cycles } = profile;
      const { value: next } = profile.left.next();
      if (next === undefined) {
        open.pop();
        depths.delete(name);
        this.#stacks.set(name, this.#resolve(layer, "extends", names, cycles));
        continue;
      }
      const [index, extended] = next;
      const depth = depths.get(extended);
      if (depth === undefined) enter(extended);
      else cycles.set(index, cycleText(open.slice(depth, depth + shownOfCycle), extended));
    }
  }

  #resolve(layer: Layer, key: string, names: readonly string[], cycles: Cycles): Stack {
    const layers = new Set<Layer>();
    const diagnostics: Diagnostic[] = [];
    let broken = false;
    for (const [index, name] of names.entries()) {
      this.#used.add(name);
      const diagnostic = this.#checkReference(layer, [key, index], name, cycles.get(index));
      if (diagnostic !== undefined) {
        diagnostics.push(diagnostic);
        broken = true;
        continue;
      }
      const stack = this.#stackOf(name);
      broken ||= stack.broken;
      for (const inner of stack.layers) layers.add(inner);
    }
    if (layers.size > maxProfiles) {
      diagnostics.push(tooManyProfiles(layer, key));
      return { layers: [layer], diagnostics, broken: true };
    }
    return { layers: [...layers, layer], diagnostics, broken };
  }

  #checkReference(
    layer: Layer,
    path: Path,
    name: string,
    cycle: string | undefined,
  ): Diagnostic | undefined {
    if (cycle !== undefined) {
      const message = `profiles extend each other in a cycle: ${cycle}`;
      const remedy = "remove one of them from an `extends`";
      return diagnosticInPart(layer, { code: "PROFILE_CYCLE", path, message, remedy });
    }
    if (this.#byName.has(name) || this.#invalid.has(name)) return undefined;
    const message = undefinedProfile(name);
    const remedy = this.#remedyForUnknown(name);
    return diagnosticInPart(layer, { code: "UNKNOWN_PROFILE", path, message, remedy });
  }

  #remedyForUnknown(name: string): string {
    const guess = this.#guess(name);
    if (guess !== undefined) return `did you mean "${guess}"?`;
    const [file] = this.#unusableFiles;
    return file === undefined
      ? "define it under `profiles:` in one of the files"
      : `define it under \`profiles:\`; ${file} may define it, but has errors itself`;
  }
}

/** The message about a profile that no file defines. */
export function undefinedProfile(name: string): string {
  return `no file defines the profile "${name}"`;
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

/** Profiles of a cycle that are shown. */
const shownOfCycle = 5;

function cycleText(profiles: readonly OpenProfile[], last: string): string {
  const names = profiles.map(({ name }) => name);
  return [...names, ...(names.length < shownOfCycle ? [] : ["…"]), last].join(" → ");
}

function tooManyProfiles(layer: Layer, key: string): Diagnostic {
  const what = layer.profile === undefined ? "the zone" : `the profile "${layer.profile}"`;
  const message = `${what} uses more than ${maxProfiles} profiles, directly or through others`;
  const remedy = "merge some of them into one";
  return diagnosticInPart(layer, { code: "TOO_MANY_PROFILES", path: [key], message, remedy });
}
