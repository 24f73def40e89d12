import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFile, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";

import { exitCodes } from "../../src/cli/output/exit-codes.ts";
import { isJsonObject, type JsonObject } from "../../src/syntax/json.ts";
import { postComment } from "./comment.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const main = path.resolve(import.meta.dirname, "../../src/main.ts");

/** Names of the exit codes; a code beyond them is of a process that was killed. */
const results = new Map<number, string>([
  [exitCodes.done, "in_sync"],
  [exitCodes.failed, "failed"],
  [exitCodes.changes, "changes"],
  [exitCodes.invalid, "invalid"],
  [exitCodes.held, "held"],
  [exitCodes.partial, "partial"],
  [exitCodes.stale, "stale"],
  [exitCodes.unreachable, "unreachable"],
]);

/** Runs the command of the action; returns the exit code of its step. */
async function check(env: Environment): Promise<number> {
  if (env["GITHUB_EVENT_NAME"] === "pull_request_target") return refuse(targetText);
  if (env["ACTION_COMMAND"] === "validate") return validate(env);
  if (env["ACTION_COMMAND"] !== "plan") return refuse("the input command must be validate or plan");
  const name = env["GITHUB_EVENT_NAME"] ?? "";
  if (plannedEvents.includes(name)) return plan(env);
  return refuse(`plan does not run on the event ${name}: use on: ${plannedEvents.join(", ")}`);
}

const targetText =
  "on pull_request_target, files of a stranger would be read beside your secrets: use on: pull_request";

function refuse(message: string): number {
  write(`::error title=zonewarden::${escaped(message)}\n`);
  return 1;
}

/** Validates without any token: with annotations in the log, and again as SARIF. */
async function validate(env: Environment): Promise<number> {
  const sarif = path.join(env["RUNNER_TEMP"] ?? "", "zonewarden.sarif");
  const args = ["validate", `--config=${env["ACTION_CONFIG"] ?? ""}`];
  const withoutToken = { ...env, ZONEWARDEN_API_TOKEN: undefined };
  const { code, stdout, stderr } = await zonewarden(
    [...args, "--format=annotations"],
    withoutToken,
  );
  log(stderr);
  // Annotations are workflow commands, whose texts zonewarden escapes.
  write(stdout);
  const again = await zonewarden([...args, "--format=sarif"], withoutToken);
  await writeFile(sarif, again.stdout);
  const result = code === exitCodes.done ? "valid" : (results.get(code) ?? "failed");
  await setOutputs({ result, "exit-code": String(code), sarif }, env);
  if (code === exitCodes.done) write("The files are valid.\n");
  return code;
}

/**
 * What may plan with a token: each of these runs what somebody with write access pushed or approved, but the pull request of a
 * fork, which is told apart. Other events, those to come included, can read files of a stranger beside the secrets.
 */
const plannedEvents = ["pull_request", "push", "merge_group", "schedule", "workflow_dispatch"];

/** Bytes of a summary: GitHub refuses more than 1 MiB for a step. */
const maxSummary = 1_000_000;

/** Plans, writes the plan into the summary of the run and the comment, and judges its exit code. */
async function plan(env: Environment): Promise<number> {
  const request = pullRequestIn(await eventOf(env));
  if (request !== undefined && request.from !== env["GITHUB_REPOSITORY"]) {
    await setOutputs({ result: "skipped", "exit-code": "", plan: "" }, env);
    write(`::notice title=zonewarden::${forkText}\n`);
    return 0;
  }
  const file = path.join(env["RUNNER_TEMP"] ?? "", "zonewarden-plan.md");
  await rm(file, { force: true });
  const { code, stdout, stderr } = await zonewarden(
    [
      "plan",
      `--config=${env["ACTION_CONFIG"] ?? ""}`,
      "--format=markdown",
      `--full=${file}`,
      ...sinceOf(env),
    ],
    { ...env, ...tokenOf(env) },
  );
  const result = results.get(code) ?? "failed";
  log(`${stderr}${stdout}`);
  const text = stdout === "" ? failureText(result, code) : stdout;
  const whole = await wholePlan(file, text);
  await setOutputs({ result, "exit-code": String(code), plan: file }, env);
  await append(env["GITHUB_STEP_SUMMARY"], Buffer.byteLength(whole) > maxSummary ? text : whole);
  if (env["ACTION_COMMENT"] === "true" && request !== undefined) {
    await comment(text, result, request, env);
  }
  return judge(result, code, env);
}

function sinceOf(env: Environment): readonly string[] {
  const since = env["ACTION_CHANGED_SINCE"] ?? "";
  return since === "" ? [] : [`--changed-since=${since}`];
}

/** The whole plan in the file; `text` where there is none, which is written into the file. */
async function wholePlan(file: string, text: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch {
    await writeFile(file, text);
    return text;
  }
}

const forkText =
  "not planned: a pull request from a fork gets no token. A maintainer can plan it from a branch of this repository.";

/** An empty input must not hide a token in the environment of the job. */
function tokenOf(env: Environment): Environment {
  const token = env["ACTION_TOKEN"] ?? "";
  return token === "" ? {} : { ZONEWARDEN_API_TOKEN: token };
}

function failureText(result: string, code: number): string {
  return `## zonewarden plan\n\nThere is no plan: ${result} (exit code ${code}). The log of the run says why.\n`;
}

function judge(result: string, code: number, env: Environment): number {
  if (code === exitCodes.done || code === exitCodes.changes) return 0;
  const mayBeHeld = result === "held" && env["ACTION_HELD"] === "pass";
  const why = result === "failed" ? ": the log of the run says why" : "";
  const what = `the plan is ${result} (exit code ${code})${why}`;
  write(`::${mayBeHeld ? "warning" : "error"} title=zonewarden plan::${what}\n`);
  return mayBeHeld ? 0 : code;
}

async function comment(
  markdown: string,
  result: string,
  { number, commit }: PullRequest,
  env: Environment,
): Promise<void> {
  const { GITHUB_SERVER_URL: server = "", GITHUB_REPOSITORY: repository = "" } = env;
  const run = `${server}/${repository}/actions/runs/${env["GITHUB_RUN_ID"] ?? ""}`;
  const text = `${markdown}\n[Run](${run}) of ${commit}\n`;
  const thread = {
    api: `${env["GITHUB_API_URL"] ?? ""}/repos/${repository}/issues`,
    number,
    token: env["ACTION_GITHUB_TOKEN"] ?? "",
    author: env["ACTION_COMMENT_AUTHOR"] ?? "",
  };
  try {
    const key = env["ACTION_CONFIG"] ?? "";
    const done = await postComment({ key, text, run }, thread, result === "in_sync");
    write(`The comment is ${done}.\n`);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    write(`::warning title=zonewarden::${escaped(`the comment is not written: ${why}`)}\n`);
  }
}

/** What happened, from the file that the runner writes. */
async function eventOf({ GITHUB_EVENT_PATH: file }: Environment): Promise<JsonObject> {
  const event: unknown = JSON.parse(await readFile(file ?? "", "utf8"));
  return isJsonObject(event) ? event : {};
}

interface PullRequest {
  readonly number: number;
  /** The commit that was pushed. */
  readonly commit: string;
  /** The repository that it comes from; "" for a fork that was deleted. */
  readonly from: string;
}

function pullRequestIn({ pull_request: request }: JsonObject): PullRequest | undefined {
  if (!isJsonObject(request) || typeof request["number"] !== "number") return undefined;
  const head = isJsonObject(request["head"]) ? request["head"] : {};
  const { sha, repo } = head;
  const from = isJsonObject(repo) ? repo["full_name"] : undefined;
  return {
    number: request["number"],
    commit: typeof sha === "string" ? sha : "an unknown commit",
    from: typeof from === "string" ? from : "",
  };
}

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs zonewarden in the workspace. It gets neither the inputs nor the tokens among them. */
function zonewarden(args: readonly string[], env: Environment): Promise<Ran> {
  const inherited = Object.entries(env).filter(([name]) => !name.startsWith("ACTION_"));
  const child = spawn(process.execPath, [main, ...args], {
    cwd: env["GITHUB_WORKSPACE"],
    env: Object.fromEntries(inherited),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const pieces = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (pieces.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (pieces.stderr += text));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? exitCodes.failed, ...pieces }));
  });
}

/** Prints text that others wrote: no line of it is a workflow command. */
function log(text: string): void {
  if (text === "") return;
  const end = randomUUID();
  write(`::stop-commands::${end}\n${text}\n::${end}::\n`);
}

function escaped(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

async function setOutputs(
  outputs: Readonly<Record<string, string>>,
  env: Environment,
): Promise<void> {
  const lines = Object.entries(outputs).map(([name, value]) => `${name}=${value}\n`);
  await append(env["GITHUB_OUTPUT"], lines.join(""));
}

async function append(file: string | undefined, text: string): Promise<void> {
  if (file !== undefined) await appendFile(file, text);
}

function write(text: string): void {
  process.stdout.write(text);
}

process.exitCode = await check(process.env);
