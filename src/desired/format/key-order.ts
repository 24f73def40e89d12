import { coerceObject, coerceObjects, coerceText, type JsonObject } from "../../syntax/json.ts";
import { schemaOf } from "../schema-compiler.ts";

/** Each of thousands of files has the order of one of two schemas. */
const orders = new Map<string, KeyOrder>();

/** No key of a schema. */
const anyName = "*";

/** What the schema says of a part of a file: the order of its keys, and of those of its own parts. */
export class KeyOrder {
  readonly #schemas: readonly JsonObject[];
  readonly #definitions: JsonObject;
  readonly #positions: ReadonlyMap<string, number>;
  readonly #below = new Map<string | undefined, KeyOrder>();

  private constructor(schemas: readonly JsonObject[], definitions: JsonObject) {
    this.#definitions = definitions;
    this.#schemas = schemas.flatMap((schema) => this.#alternatives(schema));
    const names = this.#schemas.flatMap((schema) =>
      Object.keys(coerceObject(schema["properties"])),
    );
    this.#positions = new Map(names.map((name, index) => [name, index] as const).toReversed());
  }

  /** The order in a whole file. */
  static of(schema: "zones" | "zonewarden"): KeyOrder {
    const order = orders.get(schema) ?? KeyOrder.#read(schema);
    orders.set(schema, order);
    return order;
  }

  static #read(schema: "zones" | "zonewarden"): KeyOrder {
    const root = schemaOf(schema);
    return new KeyOrder([root], coerceObject(root["$defs"]));
  }

  /** The position of a key; names that the schema does not list come last. */
  positionOf(key: string): number {
    return this.#positions.get(key) ?? Number.MAX_SAFE_INTEGER;
  }

  /** The order in the value of a key; without one, in the items of a list. */
  below(key: string | undefined): KeyOrder {
    // Names that somebody chose all have the same order below them.
    const part = key === undefined || this.#positions.has(key) ? key : anyName;
    const known = this.#below.get(part) ?? this.#newBelow(part);
    this.#below.set(part, known);
    return known;
  }

  #newBelow(key: string | undefined): KeyOrder {
    const parts = this.#schemas.map(({ properties, additionalProperties, items }) =>
      key === undefined ? items : (coerceObject(properties)[key] ?? additionalProperties),
    );
    return new KeyOrder(parts.map(coerceObject), this.#definitions);
  }

  /** A schema with what it refers to, and its branches. */
  #alternatives(schema: JsonObject): readonly JsonObject[] {
    const name = coerceText(schema["$ref"]).replace("#/$defs/", "");
    const branches = [...coerceObjects(schema["anyOf"]), ...coerceObjects(schema["oneOf"])];
    const others = name === "" ? branches : [coerceObject(this.#definitions[name]), ...branches];
    return [schema, ...others.flatMap((other) => this.#alternatives(other))];
  }
}
