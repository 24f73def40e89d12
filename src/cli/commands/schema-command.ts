import { example, type Add } from "../output/command-parts.ts";

/** Adds `schema`. */
export const addSchema: Add = (program, host, end) => {
  program
    .command("schema")
    .description("print a JSON Schema, for editors and for other programs")
    .argument("[name]", "which one; without it, their names are printed")
    .addHelpText(
      "after",
      example("zonewarden schema", "zonewarden schema zones > zones.schema.json"),
    )
    .action(async (name: string | undefined) => {
      const { schema } = await import("./schema.ts");
      end(await schema(name, host));
    });
};
