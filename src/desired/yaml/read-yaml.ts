import { sourceOf } from "../location.ts";
import { composeYaml, type YamlText } from "./compose-yaml.ts";
import { readPlainYaml } from "./plain-yaml.ts";

/** Reads the documents of one file. */
export function readYaml(file: string, text: string): YamlText {
  return readQuickly(file, text) ?? composeYaml(file, text);
}

/** Like {@link readYaml}, but `undefined` for a text that only the package `yaml` reads. */
export function readQuickly(file: string, text: string): YamlText | undefined {
  const plain = readPlainYaml(text);
  if (plain === undefined) return undefined;
  const { document, offsets } = plain;
  return { source: sourceOf(file, text), documents: [document], offsets, diagnostics: [] };
}
