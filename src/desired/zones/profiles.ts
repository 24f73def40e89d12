import { didYouMean } from "../../syntax/nearest.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import type { Path } from "../yaml/path.ts";
import { keyPlace, problemIn } from "./layer.ts";
import type { Layer } from "./layer.ts";

/** The layers of a profile or zone in the order in which they merge, and what is wrong with its profiles. */
export interface Stack {
  readonly layers: readonly Layer[];
  /** Of the layer's own list of profiles; what is wrong inside of profiles is told there. */
  readonly diagnostics: readonly Diagnostic[];
  /** Whether a profile is missing or broken, so that the layers are not what was meant. */
  readonly broken: boolean;
}

/** The profiles of all files. */
export class Profiles {
  readonly #byName = new Map<string, Layer>();
  readonly #repeated = new Map<string, readonly Layer[]>();
  /** Files without any usable version, which may define what is missed. */
  readonly #missing: readonly string[];
  /** Names of profiles that are there, but of the wrong shape. */
  readonly #withheld: ReadonlySet<string>;
  readonly #stacks = new Map<string, Stack>();
  readonly #used = new Set<string>();

  constructor(
    layers: readonly Layer[],
    missing: readonly string[],
    withheld: readonly string[] = [],
  ) {
    this.#missing = missing;
    this.#withheld = new Set(withheld);
    for (const [name, same] of Map.groupBy(layers, ({ profile }) => profile ?? "")) {
      for (const layer of same) this.#byName.set(name, layer);
      if (same.length > 1) this.#repeated.set(name, same);
    }
  }

  /** What is wrong with the profiles themselves. */
  diagnostics(): readonly Diagnostic[] {
    return [
      ...[...this.#repeated.values()].flatMap(repeatedProblems),
      ...[...this.#byName.keys()].flatMap((name) => this.#stackOf(name, []).diagnostics),
    ];
  }

  /** Profiles that no zone and no other profile takes in. */
  unused(): readonly Diagnostic[] {
    return [...this.#byName]
      .filter(([name]) => !this.#used.has(name))
      .map(([name, layer]) =>
        problemIn(layer, [], "UNUSED_PROFILE", {
          message: `no zone uses the profile "${name}"`,
          remedy: "delete it, or name it in a zone",
        }),
      );
  }

  /** The layers of a zone: its profiles with all that they extend, then itself. */
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
      const diagnostic = this.#problemWith(layer, [key, index], name, under);
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

  #problemWith(
    layer: Layer,
    path: Path,
    name: string,
    under: readonly string[],
  ): Diagnostic | undefined {
    if (under.includes(name)) {
      const circle = [...under.slice(under.indexOf(name)), name].join(" → ");
      const message = `profiles extend each other in a circle: ${circle}`;
      const remedy = "take one of them out of an `extends`";
      return problemIn(layer, path, "PROFILE_CYCLE", { message, remedy });
    }
    if (this.#byName.has(name) || this.#withheld.has(name)) return undefined;
    const message = `no file defines the profile "${name}"`;
    const remedy = this.#whereItMayBe(name);
    return problemIn(layer, path, "UNKNOWN_PROFILE", { message, remedy });
  }

  #whereItMayBe(name: string): string {
    const guess = didYouMean(name, this.#byName.keys());
    if (guess !== "") return guess;
    const [file] = this.#missing;
    return file === undefined
      ? "define it under `profiles:` in one of the files"
      : `define it under \`profiles:\`; perhaps ${file} does, which is broken itself`;
  }
}

/** Which of them would count is a matter of file names, so none does. */
function repeatedProblems(layers: readonly Layer[]): readonly Diagnostic[] {
  return layers.map((layer) => {
    const other = layers.find((candidate) => candidate !== layer) ?? layer;
    const { file, line } = keyPlace({ layer: other, path: other.path });
    const message = `the profile "${layer.profile}" is defined in ${file}, line ${line}, too`;
    const remedy = "give one of the two another name, or delete it";
    return problemIn(layer, [], "PROFILE_TWICE", { message, remedy });
  });
}
