import {
  coerceObject,
  coerceText,
  isJsonList,
  isJsonObject,
  type JsonObject,
} from "../../syntax/json.ts";
import { schemaOf } from "../schema-compiler.ts";

/** The variable of the environment with the token, where the configuration names no other place. */
export const tokenVariable = "ZONEWARDEN_API_TOKEN";

/** Where an emulator listens, unless something else is said. */
export const emulatorAddress = "127.0.0.1:8787";

/** A configuration with the defaults of its schema in place of the keys that it does not have. */
export function withDefaults(file: unknown): unknown {
  const root = schemaOf("zonewarden");
  const definitions = coerceObject(root["$defs"]);
  const resolved = (written: unknown): JsonObject => {
    const { $ref: reference, ...own } = coerceObject(written);
    const name = coerceText(reference).replace("#/$defs/", "");
    return { ...coerceObject(definitions[name]), ...own };
  };
  const filled = (value: unknown, { properties, items }: JsonObject): unknown => {
    if (isJsonList(value)) return value.map((item) => filled(item, resolved(items)));
    if (!isJsonObject(value)) return value;
    const map: Record<string, unknown> = { ...value };
    for (const [key, written] of Object.entries(coerceObject(properties))) {
      const schema = resolved(written);
      const found = Object.hasOwn(value, key) ? value[key] : schema["default"];
      if (found !== undefined) map[key] = filled(found, schema);
    }
    return map;
  };
  return filled(file, root);
}
