import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import { parse } from "yaml";

import { isJsonObject, type JsonObject } from "../../../src/syntax/json.ts";
import type { Scratch } from "./scratch-repository.ts";

const actionPath = path.resolve(import.meta.dirname, "../../../deploy/github-action");

/** What a run of the action left behind. */
export interface ActionRun {
  readonly isSuccess: boolean;
  /** What the steps printed, as the log of the run shows it. */
  readonly log: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
}

/** What started a run, and where GitHub is. */
export interface Situation {
  readonly event: JsonObject;
  readonly eventName?: string;
  readonly api?: string;
  /** The environment of the job. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The action as it is written. */
export async function readAction(): Promise<JsonObject> {
  const action: unknown = parse(await readFile(path.join(actionPath, "action.yml"), "utf8"));
  if (!isJsonObject(action)) throw new Error("action.yml is not a map");
  return action;
}

/**
 * Runs the steps of the composite action in a repository, as the runner of GitHub does: inputs and outputs go into `env` where an
 * expression names them, each script runs in bash with `-eo pipefail`, and a step that fails ends the run.
 */
export async function runAction(
  inputs: Readonly<Record<string, string>>,
  situation: Situation,
  scratch: Scratch,
): Promise<ActionRun> {
  const action = await readAction();
  const { output, summary } = filesIn(scratch);
  await scratch.place.write(".git/runner/event.json", JSON.stringify(situation.event));
  await writeFile(summary, "");
  const known = new Map(inputsOf(action, inputs));
  let log = "";
  let isSuccess = true;
  for (const step of stepsOf(action)) {
    await writeFile(output, "");
    const { code, stdout, stderr } = await scratch.bash(scriptOf(step), {
      ...situation.env,
      ...environmentOf(situation, scratch),
      ...filledMap(step["env"], known),
    });
    log += `${stdout}${stderr}`;
    for (const line of (await readFile(output, "utf8")).split("\n")) {
      const [, name, value = ""] = /^([\w-]+)=(.*)$/.exec(line) ?? [];
      if (name !== undefined) known.set(`steps.${textOf(step["id"])}.outputs.${name}`, value);
    }
    isSuccess = code === 0;
    if (!isSuccess) break;
  }
  const values = entriesIn(action["outputs"]).map(([name, each]) => [
    name,
    objectIn(each)["value"],
  ]);
  const outputs = filledMap(Object.fromEntries(values), known);
  return { isSuccess, log, outputs, summary: await readFile(summary, "utf8") };
}

interface RunnerFiles {
  readonly temp: string;
  readonly event: string;
  readonly output: string;
  readonly summary: string;
}

function filesIn({ directory }: Scratch): RunnerFiles {
  const temp = path.join(directory, ".git/runner");
  const inTemp = (name: string): string => path.join(temp, name);
  return {
    temp,
    event: inTemp("event.json"),
    output: inTemp("output"),
    summary: inTemp("summary"),
  };
}

function environmentOf(
  { eventName = "pull_request", api = "http://127.0.0.1:9" }: Situation,
  scratch: Scratch,
): Readonly<Record<string, string>> {
  const { temp, event, output, summary } = filesIn(scratch);
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: temp,
    GITHUB_ACTION_PATH: actionPath,
    GITHUB_API_URL: api,
    GITHUB_EVENT_NAME: eventName,
    GITHUB_EVENT_PATH: event,
    GITHUB_OUTPUT: output,
    GITHUB_REPOSITORY: "acme/zones",
    GITHUB_RUN_ID: "42",
    GITHUB_SERVER_URL: "https://github.example",
    GITHUB_STEP_SUMMARY: summary,
    GITHUB_WORKSPACE: scratch.directory,
    RUNNER_TEMP: temp,
  };
}

/** The inputs by the names of their expressions, and the token of GitHub. */
function inputsOf(
  action: JsonObject,
  given: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  const known = new Map([["github.token", "token-of-github"]]);
  for (const [name, input] of entriesIn(action["inputs"])) {
    const value = given[name] ?? objectIn(input)["default"];
    if (typeof value !== "string") throw new Error(`the input ${name} is required`);
    known.set(`inputs.${name}`, filled(value, known));
  }
  return known;
}

/** The steps of the action. */
export function stepsOf(action: JsonObject): readonly JsonObject[] {
  const { runs } = action;
  const steps = isJsonObject(runs) ? runs["steps"] : undefined;
  return Array.isArray(steps) ? steps.filter(isJsonObject) : [];
}

function objectIn(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function entriesIn(value: unknown): readonly (readonly [string, unknown])[] {
  return Object.entries(objectIn(value));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function scriptOf(step: JsonObject): string {
  if (step["shell"] === "bash" && typeof step["run"] === "string") return step["run"];
  throw new Error(`the runner of the tests runs only bash: ${textOf(step["name"])}`);
}

function filledMap(
  texts: unknown,
  known: ReadonlyMap<string, string>,
): Readonly<Record<string, string>> {
  const entries = entriesIn(texts).map(([name, text]): [string, string] => [
    name,
    filled(textOf(text), known),
  ]);
  return Object.fromEntries(entries);
}

/** Replaces expressions; an output that a step did not set is empty, as on GitHub. */
function filled(text: string, known: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$\{\{ *([\w.-]+) *\}\}/g, (_, name: string) => known.get(name) ?? "");
}
