import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

import { parse } from "yaml";

import { type JsonObject, isJsonObject } from "../../src/syntax/json.ts";

const root = path.resolve(import.meta.dirname, "../..");
const home = "https://github.com/zonewarden/zonewarden";
const rawHome = "https://raw.githubusercontent.com/zonewarden/zonewarden/v0.1.0/";

/** What is wrong with files for GitLab and pre-commit: templates and hooks that this repository does not have. */
export function mistakesInForgeFile({ include, repos }: JsonObject): readonly string[] {
  const templates = listOf(include).map(({ remote }) => textOf(remote));
  const missing = templates.filter(
    (url) => !url.startsWith(rawHome) || !existsSync(path.join(root, url.slice(rawHome.length))),
  );
  const unknown = listOf(repos).flatMap(({ repo, hooks }) => [
    ...(repo === home ? [] : [textOf(repo)]),
    ...listOf(hooks).flatMap(({ id }) => (hookIds().includes(textOf(id)) ? [] : [textOf(id)])),
  ]);
  return [...missing, ...unknown];
}

function hookIds(): readonly string[] {
  const hooks: unknown = parse(readFileSync(path.join(root, ".pre-commit-hooks.yaml"), "utf8"));
  return listOf(hooks).map(({ id }) => textOf(id));
}

function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
