import { describe, it } from "vitest";

import { errorCode, ifExists } from "../../src/syntax/error-code.ts";

const missing = Object.assign(new Error("no such file"), { code: "ENOENT" });

it.for([
  { what: "an error of the system", error: missing, code: "ENOENT" },
  { what: "an error without a code", error: new Error("no"), code: "" },
  { what: "a code that is no text", error: Object.assign(new Error("no"), { code: 2 }), code: "" },
  { what: "no error", error: { code: "ENOENT" }, code: "" },
  { what: "nothing", error: undefined, code: "" },
])("$what has the code $code", ({ error, code }, { expect }) => {
  expect(errorCode(error)).toBe(code);
});

describe("what is read of a file", () => {
  it("is undefined only where the file does not exist", async ({ expect }) => {
    expect(await ifExists(Promise.resolve("text"))).toBe("text");
    expect(await ifExists(Promise.reject(missing))).toBeUndefined();
    const refused = Object.assign(new Error("refused"), { code: "EACCES" });
    await expect(ifExists(Promise.reject(refused))).rejects.toBe(refused);
  });
});
