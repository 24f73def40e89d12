import { inspect } from "node:util";

import { describe, it } from "vitest";

import { Credential, type CredentialOptions } from "../../src/api/credentials/credential.ts";
import { Token } from "../../src/api/credentials/token.ts";
import { get } from "../../src/api/request/call.ts";
import { sendWithRetries } from "../../src/api/request/retry.ts";
import { defaultBudget } from "../support/budget.ts";
import { SimulatedClock } from "../support/clock.ts";
import { refuse, startServer, succeed } from "../support/http-server.ts";
import { connect, plantedToken, zone } from "../support/service.ts";

const read = get("/zones", {});

/** A source whose text a test changes, and which counts how often it was read. */
function changingSource(text: string): CredentialOptions["source"] & {
  text: string | undefined;
  reads: number;
} {
  const source = {
    text: text as string | undefined,
    reads: 0,
    read: async () => {
      source.reads += 1;
      if (source.text === undefined) throw new Error("ENOENT: no such file, open '/run/token'");
      return source.text;
    },
  };
  return source;
}

function credentialOf(
  options: Partial<CredentialOptions>,
  clock = new SimulatedClock(),
): Credential {
  const source = changingSource(plantedToken);
  const whole = { name: "main", source, accounts: [], zones: [], budget: defaultBudget };
  return new Credential({ ...whole, ...options }, clock);
}

describe("the ids of a token", () => {
  it("are each known once, the newest first, and are those that the service gives", ({
    expect,
  }) => {
    const credential = credentialOf({});
    for (const id of ["a", "", "b", "b", "a"]) credential.noteTokenId(id);
    expect(credential.tokenIds).toEqual(["a", "b"]);
    for (const id of ["c", "d", "e"]) credential.noteTokenId(id);
    expect(credential.tokenIds).toEqual(["e", "d", "c", "a"]);
  });
});

describe("a token", () => {
  it.for([
    { when: "with white space around it", text: " \n abc.DEF-1_2\r\n", isToken: true },
    { when: "empty", text: "", isToken: false },
    { when: "of white space", text: " \n", isToken: false },
    { when: "of two lines", text: "abc\ndef", isToken: false },
    { when: "with a space inside", text: "Bearer abc", isToken: false },
    { when: "that no header can carry", text: "abc\u0000", isToken: false },
    { when: "as long as it may be", text: "a".repeat(4_096), isToken: true },
    { when: "longer than it may be", text: "a".repeat(4_097), isToken: false },
  ])("$when", ({ text, isToken }, { expect }) => {
    expect(Token.parse(text) !== undefined).toBe(isToken);
  });
});

describe("a text that holds a token", () => {
  const text = String.raw`a"b\c`;

  it.for([
    { when: "as it is", shown: `token=${text};`, scrubbed: "token=[token];" },
    { when: "in JSON", shown: JSON.stringify({ text }), scrubbed: '{"text":"[token]"}' },
    { when: "twice", shown: `${text}${text}`, scrubbed: "[token][token]" },
    { when: "alone", shown: text, scrubbed: "[token]" },
    { when: "cut short", shown: text.slice(1), scrubbed: text.slice(1) },
  ])("does not show it: $when", ({ shown, scrubbed }, { expect }) => {
    expect(Token.parse(text)?.scrub(shown)).toBe(scrubbed);
  });
});

describe("a text that quotes a token in another form", () => {
  const secret = "zFh8Qn0tAr34lT0kenOf_the-Shop9xYz7Kp2Lm4";
  const bytes = Buffer.from(secret);
  const hex = bytes.toString("hex");

  it.for([
    { form: "in base64", shown: bytes.toString("base64") },
    { form: "in base64url", shown: bytes.toString("base64url") },
    {
      form: "in the base64 of a header",
      shown: Buffer.from(`Bearer ${secret}`).toString("base64"),
    },
    { form: "in the base64 of a user", shown: Buffer.from(`ab:${secret}:xyz`).toString("base64") },
    { form: "in hexadecimal", shown: hex },
    { form: "in HEXADECIMAL", shown: hex.toUpperCase() },
    { form: "in hexadecimal with spaces", shown: hex.replaceAll(/../g, "$& ") },
    { form: "percent-encoded", shown: hex.replaceAll(/../g, "%$&") },
    { form: "with spaces", shown: secret.split("").join(" ") },
    { form: "with spaces of no width", shown: secret.split("").join("\u200B") },
    { form: "in groups", shown: secret.replaceAll(/.{4}/g, "$&\t") },
    { form: "in two lines", shown: `${secret.slice(0, 20)}\n${secret.slice(20)}` },
    {
      form: "in two lines, in JSON",
      shown: JSON.stringify(`${secret.slice(0, 9)}\n${secret.slice(9)}`),
    },
    { form: "without its end", shown: secret.slice(0, 25) },
    { form: "without its beginning", shown: secret.slice(12) },
    { form: "as its middle", shown: secret.slice(7, 19) },
    { form: "as part of the base64", shown: bytes.toString("base64").slice(5, 30) },
    { form: "as part of the hexadecimal", shown: hex.slice(9, 50) },
    { form: "twice", shown: `${secret.slice(3)} and ${hex}` },
  ])("does not show it: $form", ({ shown }, { expect }) => {
    const scrubbed = Token.parse(secret)?.scrub(`invalid token: ${shown}; see the docs`) ?? "";
    expect(scrubbed).toContain("[token]");
    expect(scrubbed).toMatch(/^invalid token: [^]*; see the docs$/);
    // Of base64, a digit at each side depends on what stands beside it.
    expect(scrubbed.replaceAll("[token]", "").length).toBeLessThan(
      "invalid token: ; see the docs and ".length + 14,
    );
    for (let at = 0; at + 12 <= secret.length; at += 1) {
      const part = secret.slice(at, at + 12);
      expect(scrubbed.replaceAll(/\s/g, "")).not.toContain(part);
    }
  });

  it("replaces a text that is nothing else", ({ expect }) => {
    expect(Token.parse(secret)?.scrub(secret.slice(2))).toBe("[token]");
    expect(Token.parse(secret)?.scrub(hex)).toBe("[token]");
  });

  it.for([
    "a text without it",
    secret.slice(0, 11),
    `${secret.slice(0, 8)}-${secret.slice(9, 19)}`,
    "",
    " ",
    "zFh8Qn zFh8Qn zFh8Qn",
  ])("leaves what is none: %j", (text, { expect }) => {
    expect(Token.parse(secret)?.scrub(text)).toBe(text);
  });
});

it("is shown as what it is, never as its text", ({ expect }) => {
  const token = Token.parse(plantedToken);
  expect([String(token), JSON.stringify({ token }), inspect(token)]).toEqual([
    "[token]",
    '{"token":"[token]"}',
    "[token]",
  ]);
});

describe("a credential", () => {
  it("reads its token once for many requests, and again after ten seconds", async ({ expect }) => {
    const clock = new SimulatedClock();
    const source = changingSource("first");
    const credential = credentialOf({ source }, clock);
    await Promise.all([credential.token(), credential.token(), credential.token()]);
    source.text = "second";
    expect((await credential.token()).authorization).toBe("Bearer first");
    await clock.advance(9_999);
    await credential.token();
    expect(source.reads).toBe(1);
    await clock.advance(1);
    expect((await credential.token()).authorization).toBe("Bearer second");
    expect(source.reads).toBe(2);
  });

  it.for([{ text: undefined }, { text: "" }, { text: "half a\ntoken" }])(
    "keeps its last token while the file holds $text",
    async ({ text }, { expect }) => {
      const clock = new SimulatedClock();
      const source = changingSource("first");
      const credential = credentialOf({ source }, clock);
      await credential.token();
      source.text = text;
      await clock.advance(10_000);
      expect((await credential.token()).authorization).toBe("Bearer first");
      await credential.token();
      expect(source.reads).toBe(2);
    },
  );

  it("says what to check when there never was a token", async ({ expect }) => {
    const source = changingSource("");
    const credential = credentialOf({ source });
    await expect(credential.token()).rejects.toMatchObject({
      code: "API_NO_TOKEN",
      transient: true,
      message:
        "credential main: cannot read its token: it holds no token; check the token_file or token_env of this credential",
    });
    source.text = undefined;
    const missing = credential.token();
    await expect(missing).rejects.toMatchObject({ code: "API_NO_TOKEN" });
    await expect(missing).rejects.toThrow("its token: ENOENT: no such file");
    Object.assign(source, { read: () => Promise.reject("a text") });
    await expect(credential.token()).rejects.toThrow("cannot read its token: unknown reason;");
    Object.assign(source, changingSource("there"));
    expect((await credential.token()).authorization).toBe("Bearer there");
  });

  it("notes no verification, and hides nothing, before it has read a token", async ({ expect }) => {
    const token = Token.parse(plantedToken);
    const credential = credentialOf({});
    if (token !== undefined) credential.noteVerified(token, new Date(0));
    expect(credential.state.expiresAt).toBeUndefined();
    expect(credential.isVerificationDue).toBe(true);
    expect(credential.scrub("a text")).toBe("a text");
    await credential.token();
    expect(credential.scrub(`of ${plantedToken}`)).toBe("of [token]");
  });

  it.for([
    { zones: [], accounts: [], serves: true },
    { zones: ["*.example.com"], accounts: [], serves: true },
    { zones: ["example.com"], accounts: [], serves: false },
    { zones: ["shop.example.com", "other"], accounts: [], serves: true },
    { zones: ["shopXexample.com"], accounts: [], serves: false },
    { zones: ["SHOP.*"], accounts: [], serves: true },
    { zones: [], accounts: ["acc1"], serves: true },
    { zones: [], accounts: ["Sho*"], serves: true },
    { zones: [], accounts: ["acc2"], serves: false },
    { zones: ["*"], accounts: ["acc2"], serves: false },
    { zones: ["(a+)+$"], accounts: [], serves: false },
  ])("zones $zones, accounts $accounts: $serves", ({ serves, ...patterns }, { expect }) => {
    expect(credentialOf(patterns).serves(zone())).toBe(serves);
  });
});

describe("rotation", () => {
  it.for([401, 403])("loses no request, not even a POST, to a %i", async (status, context) => {
    const { expect, signal } = context;
    const source = changingSource("old-token");
    await using server = await startServer((seen, response) => {
      if (seen.authorization === "Bearer new-token") succeed(response, "done");
      else refuse(response, status, 10000, "Authentication error");
    });
    await using connected = connect(server.baseUrl, { credentials: [{ source }] });
    const { session } = connected;
    await session.credential.token();
    source.text = "new-token";
    const post = { ...read, method: "POST", body: {} } as const;

    const answers = await Promise.all(
      [read, read, post].map((call) => sendWithRetries(session, "sweep", call, signal)),
    );

    expect(answers.map(({ result }) => result())).toEqual(["done", "done", "done"]);
    expect(session.credential.state.valid).toBe(true);
  });

  it("may help for half a minute after the token changed, and not before", async ({ expect }) => {
    const clock = new SimulatedClock();
    const source = changingSource("old-token");
    const credential = credentialOf({ source }, clock);
    const old = await credential.token();
    expect(await credential.isRenewed(old)).toBe(false);
    source.text = "new-token";
    expect(await credential.isRenewed(old)).toBe(true);
    const renewed = await credential.token();
    await clock.advance(29_999);
    expect(await credential.isRenewed(renewed)).toBe(true);
    await clock.advance(1);
    expect(await credential.isRenewed(renewed)).toBe(false);
    expect(await credential.isRenewed(old)).toBe(true);
  });

  it("bears with a new token that is refused for its first seconds", async ({ expect, signal }) => {
    const source = changingSource("old-token");
    await using server = await startServer((_seen, response, nth) => {
      if (nth >= 4) succeed(response, "done");
      else refuse(response, 403, 10000);
    });
    await using connected = connect(server.baseUrl, { credentials: [{ source }] });
    await connected.session.credential.token();
    source.text = "new-token";
    const answer = await sendWithRetries(connected.session, "sweep", read, signal);
    expect(answer.result()).toBe("done");
    expect(answer).toMatchObject({ attempts: 4 });
  });

  it.for([
    { status: 401, wire: 1000, says: "Invalid API Token" },
    { status: 403, wire: 9109, says: "Invalid access token" },
  ])("does not retry with an unchanged token: $status", async (row, context) => {
    const { expect, signal } = context;
    await using server = await startServer((_seen, response) =>
      refuse(response, row.status, row.wire, row.says),
    );
    const source = changingSource("the-token");
    await using connected = connect(server.baseUrl, { credentials: [{ source }] });
    const sent = sendWithRetries(connected.session, "sweep", read, signal);
    await expect(sent).rejects.toMatchObject({ code: "API_UNAUTHORIZED", transient: false });
    expect(server.seen).toHaveLength(1);
    expect(source.reads).toBe(2);
    expect(connected.session.credential.state).toMatchObject({ name: "main", valid: false });
  });

  it.for([403, 404, 429, 503])("learns nothing of its token from a %i", async (status, context) => {
    const { expect, signal } = context;
    await using server = await startServer((_seen, response) => refuse(response, status, 1234));
    await using connected = connect(server.baseUrl, { retry: { maxAttempts: 1 } });
    const { credential } = connected.session;
    for (const valid of [true, false]) {
      credential.noteValid(valid);
      await expect(sendWithRetries(connected.session, "sweep", read, signal)).rejects.toThrow();
      expect(credential.state.valid).toBe(valid);
    }
  });

  it("a missing token sends nothing and costs no budget", async ({ expect, signal }) => {
    await using server = await startServer((_seen, response) => succeed(response, {}));
    const source = changingSource("");
    await using connected = connect(server.baseUrl, { credentials: [{ source }] });
    const sent = sendWithRetries(connected.session, "sweep", read, signal);
    await expect(sent).rejects.toMatchObject({ code: "API_NO_TOKEN" });
    expect(server.seen).toHaveLength(0);
    expect(connected.retries).toEqual([]);
    expect(connected.session.credential.state).toMatchObject({ inFlight: 0, remaining: 1_200 });
  });
});

describe("a token that the service held", () => {
  it("lets what failed be tried once again, with another one or once it is accepted", async ({
    expect,
  }) => {
    const source = changingSource("first");
    const credential = credentialOf({ source });
    const mayTry = (): Promise<boolean> => credential.mayTryAgain();
    await credential.token();
    expect(await mayTry()).toBe(false);
    credential.noteValid(false);
    expect(await mayTry()).toBe(false);
    source.text = "second";
    expect([await mayTry(), await mayTry()]).toEqual([true, false]);
    credential.noteValid(true);
    expect(await mayTry()).toBe(false);

    // Another request found that the next one is accepted.
    credential.noteValid(false);
    credential.noteValid(true);
    expect([await mayTry(), await mayTry()]).toEqual([true, false]);
    source.text = "third";
    expect(await mayTry()).toBe(false);
  });

  it("is kept out of texts after it was replaced, as the new one is", async ({ expect }) => {
    const clock = new SimulatedClock();
    const source = changingSource("first-token");
    const credential = credentialOf({ source }, clock);
    await credential.token();
    source.text = "second-token";
    await clock.advance(10_000);
    await credential.token();
    expect(credential.scrub("first-token, second-token")).toBe("[token], [token]");
  });
});
