import { createHash, generateKeyPairSync } from "node:crypto";

import { describe, it } from "vitest";

import { seededRandom } from "../../src/emulator/control/faults.ts";
import { readPlanFile, signatureError } from "../../src/render/plan-file.ts";
import { canonicalJson, coerceObject, type JsonObject } from "../../src/syntax/json.ts";
import { type Example, exampleWithEmulator, writesSeenBy } from "../support/example.ts";

const spki = { type: "spki", format: "pem" } as const;
const pkcs8 = { type: "pkcs8", format: "pem" } as const;
const rsa = generateKeyPairSync("rsa", { modulusLength: 1_024 });

/** An example with a key pair of whoever makes plans (`sign.pem`, `verify.pem`) and one of somebody else (`other-…`). */
async function withKeys(config = ""): Promise<Example> {
  const example = await exampleWithEmulator({ config });
  for (const whose of ["", "other-"]) {
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    await example.place.write(`${whose}sign.pem`, privateKey.export(pkcs8).toString());
    await example.place.write(`${whose}verify.pem`, publicKey.export(spki).toString());
  }
  return example;
}

/** Changes the saved plan as somebody could who has no key: its hash fits again. */
async function edit({ place }: Example, change: (plan: JsonObject) => JsonObject): Promise<void> {
  const { signature, ...whole } = coerceObject(JSON.parse(await place.read("plan.json")));
  const { hash: _old, ...content } = coerceObject(change(whole));
  const hash = createHash("sha256").update(canonicalJson(content)).digest("hex");
  await place.write(
    "plan.json",
    canonicalJson({ ...content, hash, ...(signature !== undefined && { signature }) }),
  );
}

const signed = ["plan", "--out", "plan.json", "--sign-key", "sign.pem"];
const configured = "plan: { verify_key: verify.pem }";

describe("a saved plan that must be signed", () => {
  it.for([
    { when: "with the key on the command line", config: "", flags: ["--verify-key", "verify.pem"] },
    { when: "with the key of the configuration", config: configured, flags: [] },
    { when: "with both", config: configured, flags: ["--verify-key", "verify.pem"] },
    { when: "without a key, unchecked", config: "", flags: [] },
  ])("is applied where it is signed: $when", async ({ config, flags }, { expect }) => {
    await using example = await withKeys(config);
    const planned = await example.place.run(...signed);
    expect([planned.code, planned.stderr]).toEqual([2, expect.stringContaining("The signed plan")]);
    const { code, stderr } = await example.place.run("apply", "--plan", "plan.json", ...flags);
    expect([code, stderr]).toEqual([0, ""]);
    expect(writesSeenBy(example.emulator)).not.toEqual([]);
  });

  const byFlag = ["--verify-key", "verify.pem"];
  it.for<{
    when: string;
    says: string;
    plan?: readonly string[];
    flags?: readonly string[];
    config?: string;
    change?: (plan: JsonObject) => JsonObject;
  }>([
    { when: "it is not signed", plan: ["plan", "--out", "plan.json"], says: "PLAN_NOT_SIGNED" },
    {
      when: "it is not signed, and only the configuration asks for it",
      plan: ["plan", "--out", "plan.json"],
      flags: [],
      config: configured,
      says: "PLAN_NOT_SIGNED",
    },
    {
      when: "somebody else signed it",
      plan: [...signed.slice(0, -1), "other-sign.pem"],
      says: "PLAN_WRONG_SIGNATURE",
    },
    {
      when: "a flag names the key of somebody else instead of the configured one",
      plan: [...signed.slice(0, -1), "other-sign.pem"],
      flags: ["--verify-key", "other-verify.pem"],
      config: configured,
      says: "PLAN_WRONG_SIGNATURE",
    },
    {
      when: "it was changed",
      change: (plan) => ({ ...plan, expires_at: "2099-01-01T00:00:00.000Z" }),
      says: "PLAN_WRONG_SIGNATURE",
    },
    { when: "its key is not there", flags: ["--verify-key", "none.pem"], says: "cannot be read" },
    {
      when: "its key is no key",
      flags: ["--verify-key", "zonewarden.yaml"],
      says: "it is not a public key in PEM",
    },
    {
      when: "its key is the private one",
      flags: ["--verify-key", "sign.pem"],
      says: "it is a private key",
    },
    {
      when: "its key is of another type",
      flags: ["--verify-key", "rsa.pem"],
      says: "its type is rsa, not ed25519",
    },
  ])("is refused before any request where $when", async (row, { expect }) => {
    await using example = await withKeys(row.config);
    const { place, emulator } = example;
    await place.write("rsa.pem", rsa.publicKey.export(spki).toString());
    await place.run(...(row.plan ?? signed));
    if (row.change !== undefined) await edit(example, row.change);
    const before = emulator.journal().length;
    const { code, stderr } = await place.run(
      "apply",
      "--plan",
      "plan.json",
      ...(row.flags ?? byFlag),
    );
    expect(stderr).toContain(row.says);
    expect(code).toBe(3);
    expect(emulator.journal()).toHaveLength(before);
  });

  it.for([
    { key: "verify.pem", says: "it is not a private key in PEM without a password" },
    { key: "none.pem", says: "cannot be read" },
  ])("cannot be signed with $key", async ({ key, says }, { expect }) => {
    await using example = await withKeys();
    const { code, stderr } = await example.place.run(...signed.slice(0, -1), key);
    expect([code, stderr]).toEqual([3, expect.stringContaining(says)]);
    expect(example.emulator.journal()).toEqual([]);
  });

  it.for([
    { args: ["plan", "--sign-key", "sign.pem"], says: "add --out" },
    { args: ["apply", "--verify-key", "verify.pem"], says: "add --plan" },
  ])("needs a file: $args", async ({ args, says }, { expect }) => {
    await using example = await withKeys();
    const { code, stderr } = await example.place.run(...args);
    expect([code, stderr]).toEqual([1, expect.stringContaining(says)]);
  });

  it("is told about where it will be refused", async ({ expect }) => {
    await using example = await withKeys(configured);
    const { stderr } = await example.place.run("plan", "--out", "plan.json");
    expect(stderr).toContain("The plan is not signed");
  });

  it("is no longer signed after any change of a character, but of white space", async ({
    expect,
  }) => {
    await using example = await withKeys();
    await example.place.run(...signed);
    const text = await example.place.read("plan.json");
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    await example.place.write("sign.pem", privateKey.export(pkcs8).toString());
    await example.place.run(...signed);
    const own = await example.place.read("plan.json");
    const read = readPlanFile(own);
    if (read.result === "error") throw new Error(read.error.message);
    expect(signatureError(read, publicKey)).toBeUndefined();
    expect(signatureError({ ...read, signature: signatureIn(text) }, publicKey)).toBeDefined();
    const random = seededRandom(7);
    for (let nth = 0; nth < 300; nth += 1) {
      const at = Math.floor(random() * own.length);
      const other = String.fromCodePoint(32 + Math.floor(random() * 95));
      const changed = readPlanFile(own.slice(0, at) + other + own.slice(at + 1));
      const isSigned =
        changed.result === "read" && signatureError(changed, publicKey) === undefined;
      if (isSigned) expect(changed.signedText).toBe(read.signedText);
    }
  });
});

function signatureIn(text: string): string {
  const { signature } = coerceObject(JSON.parse(text));
  return typeof signature === "string" ? signature : "";
}
