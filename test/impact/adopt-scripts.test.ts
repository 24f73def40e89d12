import { describe, it } from "vitest";

import { type AdoptedScripts, adoptScripts } from "../../src/impact/adopt-scripts.ts";
import type { Script } from "../../src/zone/inventory-item.ts";
import { harmless, script } from "../support/inventory.ts";
import { authorised, hashA } from "../support/watched.ts";

const cdn = "https://cdn.example.net/lib.js";
const longest = `https://cdn.example.net/${"a".repeat(2_048 - 24)}`;

/** What becomes of scripts where entries with these URLs exist. */
function adopt(scripts: readonly Script[], entries: readonly string[] = []): AdoptedScripts {
  return adoptScripts(
    scripts,
    entries.map((url) => authorised(url)),
    50,
  );
}

function urls(scripts: readonly { readonly url: string }[]): readonly string[] {
  return scripts.map(({ url }) => url);
}

describe("a script gets an entry", () => {
  it.for<{ when: string; seen: Script; entries?: readonly string[]; gets: boolean }>([
    { when: "it is loaded", seen: script(cdn), gets: true },
    { when: "it is loaded rarely", seen: script(cdn, { status: "infrequent" }), gets: true },
    {
      when: "nobody loads it any more",
      seen: script(cdn, { status: "inactive" }),
      gets: false,
    },
    { when: "an entry has its URL", seen: script(cdn), entries: [cdn], gets: false },
    {
      when: "the pattern of an entry matches its URL",
      seen: script(cdn),
      entries: ["https://*.example.net/*"],
      gets: false,
    },
    {
      when: "entries exist for other scripts",
      seen: script(cdn),
      entries: ["https://cdn.example.net/other.js", "https://*.example.org/*"],
      gets: true,
    },
    { when: "its URL is not encrypted", seen: script("http://cdn.example.net/lib.js"), gets: true },
    { when: "its URL has a query", seen: script(`${cdn}?v=3`), gets: true },
    { when: "its URL has 2,048 characters", seen: script(longest), gets: true },
  ])("when $when: $gets", ({ seen, entries, gets }, { expect }) => {
    const { adopted, leftOut } = adopt([seen], entries);
    expect(urls(adopted)).toEqual(gets ? [seen.url] : []);
    expect(leftOut).toEqual([]);
  });
});

describe("a script is left out", () => {
  const unwritable = "an entry cannot have its URL";

  it.for<{ when: string; seen: Script; reason: string }>([
    {
      when: "its content has a bad score",
      seen: script(cdn, { scores: { ...harmless, integrity: 49 } }),
      reason: "malicious: integrity score 49",
    },
    {
      when: "its URL and its content are bad",
      seen: script(cdn, {
        scores: { ...harmless, integrity: 3 },
        urlReportedMalicious: true,
        maliciousCategories: ["Malware"],
      }),
      reason: "malicious: integrity score 3, URL reported (Malware)",
    },
    {
      when: "it is malicious and its URL has a *",
      seen: script("https://cdn.example.net/*.js", { domainReportedMalicious: true }),
      reason: "malicious: domain reported",
    },
    {
      when: "an entry with its URL would authorise others",
      seen: script("https://cdn.example.net/*.js"),
      reason: "its URL has a *, which an entry takes for any characters",
    },
    {
      when: "it comes from no server",
      seen: script("blob:https://shop.example.com/1"),
      reason: unwritable,
    },
    { when: "it has no URL", seen: script("inline"), reason: unwritable },
    { when: "its URL has no path", seen: script("https://cdn.example.net"), reason: unwritable },
    { when: "its URL has a space", seen: script(`${cdn}?a b`), reason: unwritable },
    { when: "its URL is too long", seen: script(`${longest}a`), reason: unwritable },
  ])("when $when", ({ seen, reason }, { expect }) => {
    expect(adopt([seen])).toEqual({ adopted: [], leftOut: [{ url: seen.url, reason }] });
  });

  it("that is malicious on one host only, on the others too", ({ expect }) => {
    const bad = script(cdn, { scores: { ...harmless, integrity: 3 } });
    expect(adopt([script(cdn), bad, script(cdn)])).toEqual({
      adopted: [],
      leftOut: [{ url: cdn, reason: "malicious: integrity score 3" }],
    });
  });

  it("by the configured score", ({ expect }) => {
    const doubtful = script(cdn, { scores: { ...harmless, integrity: 30 } });
    expect(urls(adoptScripts([doubtful], [], 30).adopted)).toEqual([cdn]);
    expect(urls(adoptScripts([doubtful], [], 31).leftOut)).toEqual([cdn]);
  });
});

describe("the content of a script can be pinned", () => {
  it.for<{ when: string; hashes: readonly string[]; pinned: boolean }>([
    { when: "the service has its hash", hashes: [hashA], pinned: true },
    { when: "the service did not fetch it", hashes: [""], pinned: false },
    { when: "two hosts load it, each with a hash", hashes: [hashA, hashA], pinned: true },
    { when: "the hash of one of two hosts is missing", hashes: [hashA, ""], pinned: false },
  ])("when $when: $pinned", ({ hashes, pinned }, { expect }) => {
    const seen = hashes.map((hash) => script(cdn, { hash }));
    expect(adopt(seen).adopted).toEqual([{ url: cdn, hasHash: pinned }]);
  });
});

/** The URL of the script on one of the hosts. */
const onHost = (name: string): string => `https://${name}.example.net/lib.js`;

it("lists both kinds in the order of their URLs", ({ expect }) => {
  const bad = ["d", "a"].map((name) => script(onHost(name), { urlReportedMalicious: true }));
  const good = ["f", "b", "e", "c"].map((name) => script(onHost(name)));
  const { adopted, leftOut } = adopt([...bad, ...good]);
  expect(urls(adopted)).toEqual(["b", "c", "e", "f"].map(onHost));
  expect(urls(leftOut)).toEqual(["a", "d"].map(onHost));
});
