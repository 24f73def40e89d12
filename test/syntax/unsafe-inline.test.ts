import { describe, it } from "vitest";

import { compareCsp } from "../../src/syntax/csp/compare-csp.ts";

function hashes(algorithm: string, ...ends: readonly (readonly [number, string])[]): string[] {
  return ends.map(([letters, padding]) => `'${algorithm}-${"a".repeat(letters)}${padding}'`);
}

/** As long as the hashes of their algorithm; the padding is optional. */
const rightHashes = [
  ...hashes("sha256", [43, "="], [43, ""]),
  ...hashes("sha384", [64, ""]),
  ...hashes("sha512", [86, "=="], [86, ""]),
];

const wrongHashes = [
  ...hashes("sha256", [42, "="], [44, ""], [43, "=="], [86, "=="]),
  ...hashes("sha384", [63, ""], [65, ""], [64, "="], [43, "="]),
  ...hashes("sha512", [85, "=="], [87, ""], [86, "="], [64, ""]),
];

describe("adding 'unsafe-inline'", () => {
  it.for([
    "script-src 'self' 'sha256-x'",
    "script-src 'self' 'sha256-Ab+/='",
    "script-src 'self' 'sha512-n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg='",
    "script-src 'self' 'nonce-'",
    "script-src 'self' 'nonce-abc{'",
    "script-src 'self' 'nonce-abc==='",
    "script-src 'self' 'nonce-{{x}}'",
    ...wrongHashes.map((hash) => `script-src 'self' ${hash}`),
    "style-src 'self' 'strict-dynamic'",
    "style-src-elem 'self' 'strict-dynamic'",
    // Styles without a directive of their own use default-src.
    "default-src 'self' 'strict-dynamic'",
  ])("permits more beside %s", (before, { expect }) => {
    const { direction, changes } = compareCsp(before, `${before} 'unsafe-inline'`);
    expect(direction).toBe("looser");
    expect(changes).toMatchObject([{ verb: "added", source: "'unsafe-inline'", effect: "looser" }]);
  });

  it.for([
    "script-src 'self' 'sha256-n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg='",
    "script-src 'self' 'nonce-Ab+/-_=='",
    "script-src 'self' 'strict-dynamic'",
    "style-src 'self' 'sha256-n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg='",
    ...rightHashes.map((hash) => `script-src 'self' ${hash}`),
  ])("changes nothing beside %s", (before, { expect }) => {
    expect(compareCsp(before, `${before} 'unsafe-inline'`).changes).toEqual([]);
  });

  it.for([
    ["script-src 'sha256-x'", "script-src 'unsafe-inline'"],
    ["script-src 'unsafe-inline' 'sha256-x'", "script-src 'unsafe-inline'"],
    // Scripts without a directive of their own use default-src.
    ["default-src 'unsafe-inline' 'strict-dynamic'", "default-src 'unsafe-inline'"],
  ] as const)("is not shown as harmless from %s to %s", ([before, after], { expect }) => {
    expect(compareCsp(before, after).direction).toBe("mixed");
  });
});
