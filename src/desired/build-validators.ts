import { writeFileSync } from "node:fs";

import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";

import { schemaOptions, shapeReferences, withSchemas } from "./schema-compiler.ts";

// A step of the build, which is not part of what it builds: writes the compiled validators into the
// file of its argument.

/**
 * A CommonJS module with the validator of each shape. They say whether a value matches, and not why
 * it does not.
 */
export function validatorsText(): string {
  const code = { source: true, lines: true };
  const ajv = withSchemas(
    new Ajv2020({ ...schemaOptions, messages: false, inlineRefs: false, code }),
  );
  for (const [name, reference] of Object.entries(shapeReferences)) {
    ajv.addSchema({ $ref: reference }, name);
  }
  const names = Object.keys(shapeReferences);
  return standalone.default(ajv, Object.fromEntries(names.map((name) => [name, name])));
}

const [, program, target] = process.argv;
if (program === import.meta.filename && target !== undefined) {
  writeFileSync(target, validatorsText());
}
