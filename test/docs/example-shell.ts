import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

import { isJsonObject } from "../../src/syntax/json.ts";
import { objectAt } from "../deploy/rules.ts";
import type { Ran, Started } from "../support/command-line.ts";
import { type Example, exampleWithEmulator } from "../support/example.ts";
import { headOf, kept } from "../support/kept-history.ts";
import { logged } from "../support/log-lines.ts";
import { eventually } from "../support/processes.ts";
import { pageOf } from "../support/running.ts";
import { readScript, type ShellCommand } from "../support/shell-script.ts";
import { mistakesInDocker, mistakesInKubectl } from "./deploy-examples.ts";
import { mistakesInHelm } from "./helm-examples.ts";

const root = path.resolve(import.meta.dirname, "../..");
const packageFile: unknown = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
const scripts = objectAt(isJsonObject(packageFile) ? packageFile : {}, "scripts");

/** The token of the emulator, and of the reconcile endpoint. */
const token = "emulator-token";

/** Requests to it are never sent. */
const serviceUrl = "https://api.cloudflare.com/client/v4/";

const done = { code: 0, stdout: "", stderr: "" };

/**
 * Runs the scripts of documents: zonewarden in this process against an emulator over real sockets, curl against the
 * emulator and a daemon. Commands that need a cluster, Docker or npm are checked for the names and paths in them.
 */
export class ExampleShell implements AsyncDisposable {
  readonly #example: Example;
  #daemon: Started | undefined;

  constructor(example: Example) {
    this.#example = example;
  }

  /** Starts an emulator beside a copy of config.example, with further lines of configuration. */
  static async start(config: string): Promise<ExampleShell> {
    const example = await exampleWithEmulator({
      config: `store: { path: state }\n${config}`,
      server: "reconcile_token_file: token",
    });
    await example.place.write("token", token);
    const { bytes } = await kept();
    await example.place.write("state/history.jsonl", bytes.toString());
    await example.place.write("backup/history.jsonl", bytes.toString());
    await example.place.write("kept-head", headOf(bytes));
    return new ExampleShell(example);
  }

  /** Runs a script, and gives what did not go as it should. */
  async run(script: string): Promise<readonly string[]> {
    const failures: string[] = [];
    let stdin = "";
    for (const command of await readScript(script, (expression) => this.#substitute(expression))) {
      // As a shell does, before the command runs.
      if (command.into !== "") await this.#example.place.write(command.into, "");
      const { code, stdout, stderr } = await this.#runCommand(command, stdin);
      const isExpected = code === command.exitCode || (command.isPiped && code === 2);
      const call = command.words.join(" ");
      if (!isExpected) failures.push(`${call}: exit ${code}\n${stderr}${stdout}`);
      if (command.into !== "") await this.#write(command.into, stdout);
      stdin = command.isPiped ? stdout : "";
    }
    return failures;
  }

  /** The address that a document's address stands for: of the emulator, or of a daemon, which is started for it. */
  async realUrl(url: string): Promise<string> {
    const { emulator } = this.#example;
    const ofEmulator = url.replace("http://127.0.0.1:8787", emulator.url);
    if (ofEmulator !== url) return ofEmulator;
    return url.replace("http://127.0.0.1:9464", await this.#daemonUrl());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#daemon?.signal("SIGTERM");
    await this.#daemon?.ended;
    await this.#example[Symbol.asyncDispose]();
  }

  async #substitute(expression: string): Promise<string> {
    if (expression === "TOKEN") return token;
    const [, file] = /^cat (token|kept-head)$/.exec(expression) ?? [];
    if (file !== undefined) return this.#example.place.read(file);
    if (expression.startsWith("git rev-parse")) return "0123456789abcdef0123456789abcdef01234567";
    throw new Error(`a document substitutes ${expression}`);
  }

  /** A configuration that a script writes is of somebody with files of his own, and needs the emulator's address. */
  async #write(file: string, text: string): Promise<void> {
    const { place, emulator } = this.#example;
    const isConfig = file === "zonewarden.yaml";
    if (isConfig) await place.remove("zones");
    await place.write(
      file,
      isConfig ? `${text}\napi: { base_url: "${emulator.baseUrl}" }\n` : text,
    );
  }

  async #runCommand({ words }: ShellCommand, stdin: string): Promise<Ran> {
    const [name = "", ...args] = words;
    if (name === "zonewarden") return this.#zonewarden(args);
    if (name === "curl") return this.#curl(args);
    if (name === "openssl") return openssl(args, this.#example.place.directory);
    if (name === "echo") return { ...done, stdout: args.join(" ") };
    if (ignored.has(name)) return done;
    const mistakesIn = checks.get(name);
    if (mistakesIn !== undefined) return checked(mistakesIn(args, stdin));
    return { ...done, code: 127, stderr: `${name}: not a command of this shell\n` };
  }

  async #zonewarden(args: readonly string[]): Promise<Ran> {
    const { place } = this.#example;
    const [command] = args;
    if (command === "init") return this.#init(args);
    if (command === "run") {
      const daemon = place.start(...args);
      await logged(daemon, "zonewarden started");
      daemon.signal("SIGTERM");
      return daemon.ended;
    }
    if (command !== "emulate") return place.run(...args);
    const emulator = place.start(...args, "--listen", "127.0.0.1:0");
    // It ends at the first signal, once it listens to them.
    const beat = setInterval(() => emulator.signal("SIGTERM"), 20);
    return emulator.ended.finally(() => clearInterval(beat));
  }

  /** Somebody who starts has no files; where a person would be asked, the defaults are taken. */
  async #init(args: readonly string[]): Promise<Ran> {
    const { place, emulator } = this.#example;
    await place.remove("zones");
    await place.remove("zonewarden.yaml");
    const others = args.filter((word) => word !== "--emulator" && word !== "--yes");
    return place.run(...others, "--yes", "--emulator", new URL(emulator.url).host);
  }

  async #curl(args: readonly string[]): Promise<Ran> {
    const url = args.find((word) => word.startsWith("http")) ?? "";
    if (url.startsWith("https://")) return checked(url.startsWith(serviceUrl) ? [] : [url]);
    const response = await fetch(await this.realUrl(url), requestOf(args));
    const text = `${response.status} ${await response.text()}`;
    return response.ok ? { ...done, stdout: text } : { code: 22, stdout: "", stderr: text };
  }

  async #daemonUrl(): Promise<string> {
    this.#daemon ??= this.#example.place.start("run");
    const url = (await pageOf(this.#daemon)).replace(/\/$/, "");
    await eventually("the daemon is ready", async () =>
      (await fetch(`${url}/readyz`)).ok ? true : undefined,
    );
    return url;
  }
}

/** Runs openssl in a directory. */
function openssl(args: readonly string[], cwd: string): Ran {
  const { status, stdout, stderr, error } = spawnSync("openssl", args, { cwd, encoding: "utf8" });
  return error === undefined
    ? { code: status ?? 1, stdout, stderr }
    : { code: 127, stdout: "", stderr: `${error.message}: apt-get install openssl` };
}

/** Commands that neither need a check nor print what the next one needs. */
const ignored: ReadonlySet<string> = new Set([
  "git",
  "sha256sum",
  "skopeo",
  "export",
  "less",
  "tail",
  "rm",
  "sed",
  "base64",
]);

type Check = (args: readonly string[], stdin: string) => readonly string[];

/** Commands that are not run, but checked: each gives what is wrong with a call. */
const checks: ReadonlyMap<string, Check> = new Map<string, Check>([
  ["docker", mistakesInDocker],
  ["grep", mistakesInGrep],
  ["helm", mistakesInHelm],
  ["jq", mistakesInJq],
  ["kubectl", mistakesInKubectl],
  ["npm", mistakesInNpm],
  ["npx", mistakesInPaths],
  ["terraform", mistakesInTerraform],
]);

function checked(mistakes: readonly string[]): Ran {
  return { code: mistakes.length === 0 ? 0 : 1, stdout: "", stderr: mistakes.join("\n") };
}

/** The request of a call of curl. */
function requestOf(args: readonly string[]): RequestInit {
  const valueOf = (flag: string): string | undefined =>
    args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined;
  const [name, value = ""] = valueOf("-H")?.split(": ") ?? [];
  const json = valueOf("--json");
  return {
    method: valueOf("-X") ?? (json === undefined ? "GET" : "POST"),
    headers: {
      ...(name === undefined ? {} : { [name]: value }),
      ...(json === undefined ? {} : { "content-type": "application/json" }),
    },
    body: json ?? valueOf("-d") ?? null,
  };
}

/** The alternatives of a pattern that match no line. */
function mistakesInGrep([pattern = ""]: readonly string[], stdin: string): readonly string[] {
  return pattern.split("\\|").filter((each) => !new RegExp(each, "m").test(stdin));
}

/** The path that a filter reads and the input does not have. A filter of the log of a cluster has no input. */
function mistakesInJq([filter = ""]: readonly string[], stdin: string): readonly string[] {
  if (stdin === "") return [];
  let value: unknown = JSON.parse(stdin.replace(/^\d{3} /, ""));
  for (const key of filter.slice(1).split(".")) {
    value = isJsonObject(value) ? value[key] : undefined;
  }
  return value === undefined ? [filter] : [];
}

function mistakesInNpm([verb = "", ...rest]: readonly string[]): readonly string[] {
  if (verb === "ci" || verb === "install") return [];
  const [script = ""] = verb === "run" ? rest : [verb];
  return [...(script in scripts ? [] : [script]), ...mistakesInPaths(rest.slice(1))];
}

/** Only what changes nothing at the service: a document never tells anybody to apply or to destroy. */
function mistakesInTerraform([
  verb = "",
  subcommand = "",
  ...addresses
]: readonly string[]): readonly string[] {
  if (verb === "plan" || (verb === "state" && subcommand === "list")) return [];
  if (verb !== "state" || subcommand !== "rm" || addresses.length === 0) return [verb];
  return addresses.filter((each) => !/^cloudflare_(?:page_shield_policy|ruleset)\.\w+$/.test(each));
}

function mistakesInPaths(args: readonly string[]): readonly string[] {
  const paths = args.filter((word) => word.includes("/") && !word.startsWith("-"));
  return paths.filter((each) => !existsSync(path.join(root, each)));
}
