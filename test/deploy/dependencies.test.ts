import { readFileSync } from "node:fs";
import path from "node:path";

import { describe, it } from "vitest";
import { parse } from "yaml";

import { mistakesInAudit, mistakesInLicenses } from "../../deploy/release/dependencies.ts";
import { type JsonObject, coerceObject } from "../../src/syntax/json.ts";
import { deploy, root } from "./paths.ts";

const lock = coerceObject(JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8")));
const notes = coerceObject(
  parse(readFileSync(path.join(deploy, "release/dependencies.yaml"), "utf8")),
);

/** A lock file with one production dependency. */
function lockWith(license: string): JsonObject {
  return coerceObject({
    packages: {
      "": { name: "zonewarden" },
      "node_modules/a": { version: "1.0.0", license },
      "node_modules/b": { version: "1.0.0", license: "GPL-3.0", dev: true },
    },
  });
}

const noted = { a: { license: "MIT", maintained: "its author" } };
const advisory = "https://github.com/advisories/GHSA-aaaa-bbbb-cccc";
const report = {
  vulnerabilities: {
    a: { via: [{ url: advisory, title: "a hole", severity: "high" }] },
    c: { via: ["a"] },
  },
};

describe("the production dependencies", () => {
  it("have licenses that are noted, and maintainers", ({ expect }) => {
    // A day on which every exception counts: whether one has expired, `npm run check:dependencies` says.
    expect(mistakesInLicenses(lock, notes, "2000-01-01")).toEqual([]);
  });

  it.for([
    { when: "all is noted", license: "MIT", notes: { packages: noted }, says: [] },
    { when: "it is not noted", license: "MIT", notes: {}, says: ["a is not in dependencies.yaml"] },
    {
      when: "its license is not among the allowed",
      license: "GPL-3.0",
      notes: { packages: { a: { license: "GPL-3.0", maintained: "its author" } } },
      says: ["a has the license GPL-3.0"],
    },
    {
      when: "it has no license",
      license: "",
      notes: { packages: { a: { license: "", maintained: "its author" } } },
      says: ["a has the license (none)"],
    },
    {
      when: "its license has changed",
      license: "ISC",
      notes: { packages: noted },
      says: ["a has the license ISC, not MIT"],
    },
    {
      when: "nobody is noted as its maintainer",
      license: "MIT",
      notes: { packages: { a: { license: "MIT" } } },
      says: ["nobody wrote who maintains a"],
    },
    {
      when: "a package is noted that is not installed",
      license: "MIT",
      notes: { packages: { ...noted, b: { license: "MIT", maintained: "x" } } },
      says: ["b is in dependencies.yaml, and is not installed"],
    },
    {
      when: "an exception counts for the last day",
      license: "GPL-3.0",
      notes: {
        packages: { a: { license: "GPL-3.0", maintained: "its author" } },
        exceptions: [{ package: "a", license: "GPL-3.0", reason: "r", until: "2026-11-22" }],
      },
      says: [],
    },
    {
      when: "an exception has expired",
      license: "GPL-3.0",
      notes: {
        packages: { a: { license: "GPL-3.0", maintained: "its author" } },
        exceptions: [{ package: "a", license: "GPL-3.0", reason: "r", until: "2026-11-21" }],
      },
      says: ["the exception for a counted until 2026-11-21", "a has the license GPL-3.0"],
    },
    {
      when: "an exception has no last day",
      license: "MIT",
      notes: { packages: noted, exceptions: [{ package: "a", advisory: "GHSA-1", reason: "r" }] },
      says: ["the exception for a has no last day"],
    },
    {
      when: "an exception has no reason",
      license: "MIT",
      notes: { packages: noted, exceptions: [{ package: "a", until: "2027-01-01" }] },
      says: ["the exception for a has no reason"],
    },
  ])("are judged when $when", ({ license, notes: ours, says }, { expect }) => {
    const all = coerceObject({ licenses: ["ISC", "MIT"], ...ours });
    expect(mistakesInLicenses(lockWith(license), all, "2026-11-22")).toEqual(says);
  });
});

describe("the audit", () => {
  const exception = { package: "a", advisory: "GHSA-aaaa-bbbb-cccc", reason: "r" };

  it.for([
    { when: "no exception covers it", exceptions: [], finds: 1 },
    { when: "one does", exceptions: [{ ...exception, until: "2026-11-22" }], finds: 0 },
    { when: "one did", exceptions: [{ ...exception, until: "2026-11-21" }], finds: 1 },
    {
      when: "one covers another advisory",
      exceptions: [{ ...exception, advisory: "GHSA-1", until: "2027-01-01" }],
      finds: 1,
    },
  ])("finds a vulnerability when $when", ({ exceptions, finds }, { expect }) => {
    const found = mistakesInAudit(coerceObject(report), coerceObject({ exceptions }), "2026-11-22");
    expect(found).toHaveLength(finds);
    expect(found?.join("") ?? "").toBe(finds === 0 ? "" : `a: a hole (high, ${advisory})`);
  });

  it("tells no answer of the registry from one without findings", ({ expect }) => {
    const failed = coerceObject({ message: "405 Method Not Allowed", error: {} });
    expect(mistakesInAudit(failed, notes, "2026-11-22")).toBeUndefined();
    const clean = coerceObject({ vulnerabilities: {} });
    expect(mistakesInAudit(clean, notes, "2026-11-22")).toEqual([]);
  });
});
