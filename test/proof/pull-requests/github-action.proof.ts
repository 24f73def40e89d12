import { readFile } from "node:fs/promises";

import { describe, it } from "vitest";
import { parse } from "yaml";

import { postComment } from "../../../deploy/github-action/comment.ts";
import { workflowText } from "../../../src/cli/init/starter-files.ts";
import type { JsonObject } from "../../../src/syntax/json.ts";
import { objectAt } from "../../deploy/rules.ts";
import { writesSeenBy } from "../../support/example.ts";
import { readAction, runAction, stepsOf } from "./action-runner.ts";
import { CommentsApi } from "./comments-api.ts";
import { type Scratch, scratchRepository } from "./scratch-repository.ts";

/** A pull request, of this repository or of another one. */
function pullRequest(from: string | null = "acme/zones"): JsonObject {
  const repo = from === null ? null : { full_name: from };
  return { pull_request: { number: 7, head: { sha: "c0ffee", repo } } };
}

const validate = { command: "validate" };
const plan = { command: "plan", token: "emulator-token" };

/** Changes the threshold that the zones share. */
async function setThreshold(level: string, { place }: Scratch): Promise<void> {
  await place.edit("zones/baseline.yaml", /paranoia_level: \d/, `paranoia_level: ${level}`);
}

describe("the action validates", () => {
  it("files that are valid, without any token, and sends nothing", async ({ expect }) => {
    await using scratch = await scratchRepository();
    const run = await runAction(validate, { event: pullRequest("mallory/zones") }, scratch);
    expect(run).toMatchObject({ isSuccess: true, outputs: { result: "valid", "exit-code": "0" } });
    expect(run.log).toContain("The files are valid.");
    expect(scratch.emulator.journal()).toEqual([]);
    const sarif = await readFile(run.outputs["sarif"] ?? "", "utf8");
    expect(JSON.parse(sarif)).toMatchObject({ version: "2.1.0", runs: [{ results: [] }] });
  });

  it("files with an error: with an annotation at its place, SARIF, and a failed check", async ({
    expect,
  }) => {
    await using scratch = await scratchRepository();
    const broken = "zones:\n  - name: new.example.com\n    page_sheild: {}\n";
    await scratch.place.write("zones/broken.yaml", broken);
    const run = await runAction(validate, { event: pullRequest() }, scratch);
    expect(run).toMatchObject({ isSuccess: false, outputs: { result: "invalid" } });
    expect(run.log).toMatch(/^::error file=zones\/broken\.yaml,line=3,col=5,title=UNKNOWN_KEY::/m);
    const sarif = await readFile(run.outputs["sarif"] ?? "", "utf8");
    expect(JSON.parse(sarif)).toMatchObject({ runs: [{ results: [{ level: "error" }] }] });
  });
});

describe("the action plans", { timeout: 120_000 }, () => {
  it("what a change would do, as one comment that it updates", async ({ expect }) => {
    await using scratch = await scratchRepository();
    await using api = await CommentsApi.start();
    const situation = { event: pullRequest(), api: api.url };
    const inputs = { ...plan, "changed-since": "origin/main" };
    const inSync = await runAction(inputs, situation, scratch);
    expect(inSync).toMatchObject({ isSuccess: true, outputs: { result: "in_sync" } });
    expect(api.comments).toEqual([]);

    await setThreshold("3", scratch);
    const first = await runAction(inputs, situation, scratch);
    expect(first).toMatchObject({
      isSuccess: true,
      outputs: { result: "changes", "exit-code": "2" },
    });
    expect(first.summary).toContain("### shop.example.com");
    const [comment] = api.comments;
    expect(comment?.body).toMatch(
      /^<!-- zonewarden-plan [0-9a-f]{16} -->\n## zonewarden plan: [▲▼◆]/,
    );
    expect(comment?.body).toContain("2 → 3");
    expect(await readFile(first.outputs["plan"] ?? "", "utf8")).toBe(first.summary);
    expect(comment?.body).toContain(
      "[Run](https://github.example/acme/zones/actions/runs/42) of c0ffee",
    );

    await setThreshold("4", scratch);
    await runAction(inputs, situation, scratch);
    expect(api.comments.map(({ id, body }) => [id, body.includes("2 → 4")])).toEqual([[101, true]]);
    expect(api.requests.filter((each) => !each.startsWith("GET"))).toEqual([
      "POST /repos/acme/zones/issues/7/comments",
      "PATCH /repos/acme/zones/issues/comments/101",
    ]);
    expect(writesSeenBy(scratch.emulator)).toEqual([]);
  });

  it("and changes no comment of somebody else, finds its own on a later page, and keeps one", async ({
    expect,
  }) => {
    await using scratch = await scratchRepository();
    await using api = await CommentsApi.start();
    const situation = { event: pullRequest(), api: api.url };
    await runAction(plan, situation, scratch);
    const own = api.comments.splice(0).map(({ body }) => body)[0] ?? "";
    const forged = Array.from({ length: 130 }, (_, id) => ({ id, login: "mallory", body: own }));
    const bot = "github-actions[bot]";
    api.comments.push(
      ...forged,
      { id: 200, login: bot, body: own },
      { id: 201, login: bot, body: own },
    );
    await runAction(plan, situation, scratch);
    expect(api.comments.filter(({ login }) => login === "mallory")).toEqual(forged);
    expect(api.comments.filter(({ login }) => login === bot).map(({ id }) => id)).toEqual([200]);
  });

  it.for([
    { when: "a guard holds the plan", held: "fail", isSuccess: false, level: "error" },
    { when: "a guard may hold the plan", held: "pass", isSuccess: true, level: "warning" },
  ])("and maps the exit code where $when", async ({ held, isSuccess, level }, { expect }) => {
    await using scratch = await scratchRepository();
    const config = await scratch.place.read("zonewarden.yaml");
    await scratch.place.write("zonewarden.yaml", `${config}limits: { max_update_share: 0.1 }\n`);
    const run = await runAction(
      { ...plan, held, comment: "false" },
      { event: pullRequest() },
      scratch,
    );
    expect(run).toMatchObject({ isSuccess, outputs: { result: "held", "exit-code": "4" } });
    expect(run.log).toContain(`::${level} title=zonewarden plan::the plan is held (exit code 4)`);
  });

  it.for([
    { when: "a file is invalid", result: "invalid", code: "3" },
    { when: "the token is refused", result: "failed", code: "1" },
    { when: "the service is down", result: "unreachable", code: "7" },
  ])("and fails, with a comment, where $when", async ({ result, code }, { expect }) => {
    await using scratch = await scratchRepository();
    await using api = await CommentsApi.start();
    if (result === "invalid") await scratch.place.write("zones/broken.yaml", "zones: [a]\n");
    if (result === "unreachable") await scratch.emulator[Symbol.asyncDispose]();
    const inputs = { ...plan, token: result === "failed" ? "wrong-token" : "emulator-token" };
    const run = await runAction(inputs, { event: pullRequest(), api: api.url }, scratch);
    expect(run).toMatchObject({ isSuccess: false, outputs: { result, "exit-code": code } });
    expect(api.comments[0]?.body).toContain(`There is no plan: ${result} (exit code ${code}).`);
    expect(`${run.log}${api.comments[0]?.body ?? ""}`).not.toContain(inputs.token);
  });

  it("and succeeds with a warning where it may not comment", async ({ expect }) => {
    await using scratch = await scratchRepository();
    await using api = await CommentsApi.start();
    api.refusesWrites = 403;
    const run = await runAction(plan, { event: pullRequest(), api: api.url }, scratch);
    expect(run).toMatchObject({ isSuccess: true, outputs: { result: "changes" } });
    expect(run.log).toContain("the job needs the permission pull-requests: write");
  });

  it.for([{ from: "mallory/zones" }, { from: null }])(
    "nothing of a fork ($from): no request is sent",
    async ({ from }, { expect }) => {
      await using scratch = await scratchRepository();
      await using api = await CommentsApi.start();
      const run = await runAction(plan, { event: pullRequest(from), api: api.url }, scratch);
      expect(run).toMatchObject({ isSuccess: true, outputs: { result: "skipped" } });
      expect(scratch.emulator.journal()).toEqual([]);
      expect(api.requests).toEqual([]);
    },
  );

  it.for([validate, plan])(
    "nothing on pull_request_target: $command",
    async (inputs, { expect }) => {
      await using scratch = await scratchRepository();
      const situation = { event: pullRequest(), eventName: "pull_request_target" };
      const run = await runAction(inputs, situation, scratch);
      expect(run.isSuccess).toBe(false);
      expect(run.log).toContain("use on: pull_request");
      expect(scratch.emulator.journal()).toEqual([]);
    },
  );

  it.for(["workflow_run", "issue_comment", "pull_request_review", "deployment", "new_event", ""])(
    "nothing on an event that it does not know: %s",
    async (eventName, { expect }) => {
      await using scratch = await scratchRepository();
      const run = await runAction(plan, { event: {}, eventName }, scratch);
      expect(run.isSuccess).toBe(false);
      expect(run.log).toContain("use on: pull_request, push");
      expect(scratch.emulator.journal()).toEqual([]);
    },
  );

  it.for(["push", "schedule", "workflow_dispatch", "merge_group"])(
    "on %s, without a comment",
    async (eventName, { expect }) => {
      await using scratch = await scratchRepository();
      const run = await runAction(plan, { event: {}, eventName }, scratch);
      expect(run).toMatchObject({ isSuccess: true, outputs: { result: "changes" } });
      expect(run.summary).toContain("## zonewarden plan");
    },
  );

  it("and fails where something to review does not fit into the comment", async ({ expect }) => {
    await using scratch = await scratchRepository();
    await using api = await CommentsApi.start();
    const exceptions = Array.from({ length: 500 }, (_, n) => {
      const expression = `http.request.uri.path eq "/${n}"`;
      return `        - { key: ${"x".repeat(40)}${n}, expression: '${expression}', skip: { ruleset: current } }\n`;
    });
    await scratch.place.edit(
      "zones/baseline.yaml",
      "      rules:\n",
      `      rules:\n${exceptions.join("")}`,
    );
    const run = await runAction(plan, { event: pullRequest(), api: api.url }, scratch);
    expect(run).toMatchObject({ isSuccess: false, outputs: { result: "failed" } });
    expect(api.comments[0]?.body).toContain("so the check fails");
    expect(run.summary).not.toContain("did not fit");
  });

  it("without a workflow command or a script of others in its log", async ({ expect }) => {
    await using scratch = await scratchRepository();
    const hostile = '::add-mask::x"; touch hacked; `touch hacked` $(touch hacked) #';
    await scratch.place.edit("zones/shop.yaml", /description: .*/, `description: '${hostile}'`);
    const inputs = {
      ...plan,
      config: "zonewarden.yaml",
      "changed-since": '$(touch hacked)"; touch hacked',
    };
    const run = await runAction(inputs, { event: pullRequest() }, scratch);
    expect(run.isSuccess).toBe(false);
    const shown = await runAction(plan, { event: pullRequest() }, scratch);
    const [, end = "no end"] = /^::stop-commands::(\S+)$/m.exec(shown.log) ?? [];
    const outside = shown.log.replace(
      new RegExp(`^::stop-commands::${end}$.*?^::${end}::$`, "ms"),
      "",
    );
    expect(shown.log).toContain("add-mask");
    expect(outside).not.toContain("add-mask");
    expect(scratch.git("status", "--short")).not.toContain("hacked");
  });
});

describe("a comment", () => {
  it.for([
    { length: 65_000, isWhole: true },
    { length: 66_000, isWhole: false },
  ])("of $length characters is whole: $isWhole", async ({ length, isWhole }, { expect }) => {
    await using api = await CommentsApi.start();
    const thread = {
      api: `${api.url}/repos/acme/zones/issues`,
      number: 7,
      token: "token-of-github",
      author: "github-actions[bot]",
    };
    const text = "x".repeat(length);
    const comment = { key: "zonewarden.yaml", text, run: "https://github.example/run" };
    expect(await postComment(comment, thread, false)).toBe("created");
    const [posted] = api.comments;
    expect(posted?.body.includes(text)).toBe(isWhole);
    expect(posted?.body.includes("[the summary of the run](https://github.example/run)")).toBe(
      !isWhole,
    );
  });
});

describe("the files of the action", () => {
  it("write no expression into a script, and use no other action", async ({ expect }) => {
    const steps = stepsOf(await readAction());
    expect(steps.length).toBeGreaterThan(1);
    expect(steps.filter((step) => "uses" in step)).toEqual([]);
    expect(steps.filter(({ run }) => JSON.stringify(run).includes("${{"))).toEqual([]);
  });

  it("have the inputs that the workflow of init gives", async ({ expect }) => {
    const known = Object.keys(objectAt(await readAction(), "inputs"));
    const jobs: unknown = parse(workflowText("conf/zonewarden.yaml"));
    const given = JSON.stringify(jobs).matchAll(
      /"uses":"zonewarden\/zonewarden\/deploy\/github-action@v[^"]*","with":(\{[^}]*?(?:\}\}[^}]*?)*\})/g,
    );
    const names = [...given].flatMap(([, inputs = "{}"]) =>
      [...inputs.matchAll(/"([\w-]+)":/g)].map(([, name]) => name),
    );
    expect(new Set(names)).toEqual(new Set(["command", "config", "token", "changed-since"]));
    expect(names.filter((name) => !known.includes(name ?? ""))).toEqual([]);
  });
});
