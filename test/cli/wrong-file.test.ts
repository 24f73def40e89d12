import { describe, it } from "vitest";

import { workplace } from "../support/command-line.ts";

/** A secret without a known prefix, so that only the kind of its file shows that it is one. */
const secret = "hunter2";

/** A secret as the service makes them. */
const token = "kT9xQ2mN8vL4pR7wJ3hF6bD1sG5zC0yA_eU-iOqX";

const files: Readonly<Record<string, (value: string) => string>> = {
  "a token": (value) => `${value}\n`,
  "a token that is no YAML": (value) => `@${value}: [\n`,
  "a token like an alias": (value) => `*${value}\n`,
  "a token like a tag": (value) => `!${value} x\n`,
  "a header": (value) => `Authorization: Bearer ${value}\n`,
  "an environment": (value) => `ZONEWARDEN_API_TOKEN=${value}\nOTHER=1\n`,
  "a Secret": (value) => `apiVersion: v1\nkind: Secret\nstringData: { token: ${value} }\n`,
  "credentials as JSON": (value) => `{"password": "${value}"}\n`,
  "a list": (value) => `- ${value}\n`,
};

const commands: readonly (readonly string[])[] = [
  ["plan", "--config", "wrong.yaml"],
  ["run", "--config", "wrong.yaml"],
  ["apply", "--config", "wrong.yaml"],
  ["import", "--config", "wrong.yaml"],
  ["history", "--config", "wrong.yaml"],
  ["inventory", "scripts", "--config", "wrong.yaml"],
  ["apply", "--plan", "wrong.yaml"],
  ["validate", "wrong.yaml"],
  ["validate", "wrong.yaml", "--format", "json"],
  ["validate", "wrong.yaml", "--format", "sarif"],
  ["validate", "wrong.yaml", "--format", "annotations"],
  ["emulate", "--seed", "wrong.yaml"],
  ["emulate", "--state", "wrong.yaml"],
];

describe("a file with a secret, given instead of another file", () => {
  const table = Object.entries(files).flatMap(([what, textOf]) =>
    [secret, token].map((value) => ({ what, value, text: textOf(value) })),
  );

  it.for(table)("that holds $what is not quoted: $value", async ({ value, text }, { expect }) => {
    await using place = await workplace();
    await place.write("wrong.yaml", text);
    for (const args of commands) {
      const { code, stdout, stderr } = await place.run(...args);
      const said = `${args.join(" ")}: ${stdout}${stderr}`;
      expect(code, said).not.toBe(0);
      expect(said).toContain("wrong.yaml");
      expect(said).not.toContain(value);
    }
  });

  it("is named for what it is", async ({ expect }) => {
    await using place = await workplace();
    await place.write("wrong.yaml", `${secret}\n`);
    const { stderr } = await place.run("plan", "--config", "wrong.yaml");
    expect(stderr).toMatch(/wrong\.yaml:1:1: error: .* \[FILE_FOREIGN\]\n {2}→ /);
    const { stdout } = await place.run("validate", "wrong.yaml");
    expect(stdout).toContain("zones");
    const emulate = await place.run("emulate", "--state", "wrong.yaml");
    expect(emulate.stderr).toMatch(/: not a complete state file .*\nCheck that the path is right/);
  });
});

describe("a secret in one of the program's files", () => {
  it.for([
    `credentials: [{ name: main, token: ${token} }]`,
    `credentials: [{ name: main, token_env: ${token} }]`,
    `credentials: [{ name: main, token_env: ${secret} }]`,
    `credentials: [{ name: main, key: ${token} }]`,
    `credentials: [{ name: main, api_secret: ${secret} }]`,
    `credentials: [{ name: main, token_file: ${token} }]`,
    `credentials: [{ name: main, token_file: ${secret} }]`,
    `api: { base_url: "https://${secret}@api.example" }`,
    `server: { reconcile_token: ${secret} }`,
    `server: { reconcile_token_env: ${secret} }`,
    `server: { reconcile_token_env: "${secret}-x" }`,
    `server:\n  reconcile_token_env:\n    "${secret}-x"`,
    `server:\n  reconcile_token_env: >\n    ${secret}-x`,
    `server: { reconcile_token_env: ["${secret}"] }`,
    `server: { reconcile_token_file: { a: "${secret}" } }`,
    `notifications: [{ name: a, type: slack, url_env: "${secret}-x" }]`,
    `notifications: [{ name: a, type: slack, url_env: "https://hooks.example/${secret}" }]`,
    `notifications: [{ name: a, type: slack, url_file: ["${secret}"] }]`,
    `notifications: [{ name: a, type: webhook, url: "https://a.example", secret_env: "${secret}-x" }]`,
    `notifications: [{ name: a, type: webhook, url: "${secret}:x" }]`,
    `notifications: [{ name: a, type: webhook, url: "ftp://hooks.example/${secret}" }]`,
    `api: { base_url: "https://api.example/?token=${secret}" }`,
    `api: { base_url: "https://api.example/#${secret}" }`,
    `api: { base_url: "ftp://api.example/${secret}" }`,
    `api: { base_url: "ftp://${secret}@api.example/" }`,
    `api: { base_url: "${secret}:client" }`,
    `api: { base_url: ${secret} }`,
    `api:\n  base_url:\n    https://api.example/?token=${secret}`,
    `api: { base_url: "http://api.example/${secret}" }`,
    `notifications: [{ name: a, type: slack, url: "https://hooks.example/${secret}", oops: 1 }]`,
    `schedule: { cron: ${token} }`,
  ])("is not quoted: %s", async (line, { expect }) => {
    await using place = await workplace();
    await place.write("zones/a.yaml", "zones: [{ name: a.example }]\n");
    await place.write("zonewarden.yaml", `mode: observe\n${line}\n`);
    for (const args of [["plan"], ["validate"], ["validate", "--format", "json"]]) {
      const { stdout, stderr } = await place.run(...args);
      expect(stdout + stderr).not.toContain(secret);
      expect(stdout + stderr).not.toContain(token);
    }
  });

  it.for([
    {
      what: "the configuration as a zone file",
      text: "mode: observe\ncredentials: []\nserver: { listen: 127.0.0.1:9464 }\nlimits: {}\n",
      args: ["validate", "wrong.yaml"],
      says: "this is a configuration file, not a zone file",
      remedy: "zonewarden validate --config FILE",
    },
    {
      what: "a zone file as the configuration",
      text: "profiles: {}\nzones: []\n",
      args: ["plan", "--config", "wrong.yaml"],
      says: "this is a zone file, not a configuration file",
      remedy: "--config",
    },
  ])("says what to do with $what, once", async ({ text, args, says, remedy }, { expect }) => {
    await using place = await workplace();
    await place.write("wrong.yaml", text);
    const { code, stdout, stderr } = await place.run(...args);
    const said = `${stdout}${stderr}`;
    expect(code).toBe(3);
    expect(said).toContain(says);
    expect(said).toContain(remedy);
    expect(said.match(/error:/g)).toHaveLength(1);
  });
});
