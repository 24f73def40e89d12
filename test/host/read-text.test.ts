import { describe, it } from "vitest";

import type { NamedFiles } from "../../src/host/named-files.ts";
import { readText } from "../../src/host/read-text.ts";

/** A port whose file holds these bytes, or cannot be read. */
function holding(bytes: Uint8Array | Error): NamedFiles {
  return {
    read: (_file, limit) =>
      bytes instanceof Error ? Promise.reject(bytes) : Promise.resolve(bytes.subarray(0, limit)),
    save: () => Promise.resolve(),
    makeDirectory: () => Promise.resolve(),
  };
}

const missing = Object.assign(new Error("no such file"), { code: "ENOENT" });

describe("the text of a named file", () => {
  it.for([
    { when: "there is one", bytes: new TextEncoder().encode("ä"), yields: { text: "ä" } },
    {
      when: "an editor has put a byte order mark before it",
      bytes: Uint8Array.of(0xef, 0xbb, 0xbf, 0x61),
      yields: { text: "a" },
    },
    { when: "there is no file", bytes: missing, yields: { why: "it does not exist" } },
    {
      when: "it is larger than any of ours",
      bytes: new Uint8Array(256 * 1024 * 1024 + 2),
      yields: { why: "it is larger than 256 MB" },
    },
  ])("when $when", async ({ bytes, yields }, { expect }) => {
    const read = await readText("plan.json", { directory: "/work", namedFiles: holding(bytes) });
    expect(read).toEqual({ text: undefined, why: undefined, ...yields });
  });
});
