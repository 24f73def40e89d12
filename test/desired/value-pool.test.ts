import { array, assert, jsonValue, property } from "fast-check";
import { describe, it } from "vitest";

import { ValuePool } from "../../src/desired/load/value-pool.ts";
import { loadText } from "../support/desired.ts";

function rules(): unknown {
  return { rules: [{ key: "owasp", deploy: "owasp", list: [1, 2] }] };
}

describe("a pool of values", () => {
  it("shares equal maps and lists of different files", ({ expect }) => {
    const pool = new ValuePool();
    // As often as it has levels.
    for (let count = 0; count < 4; count += 1) pool.share(rules());
    const first = pool.share(rules());
    expect(pool.share(rules())).toBe(first);
    const zone = pool.share({ name: "a.example.com", managed_rules: rules() });
    expect(zone).toHaveProperty("managed_rules", first);
  });

  it.for<[unknown, unknown]>([
    [{ a: null }, { a: Number.NaN }],
    [{ a: null }, { a: "null" }],
    [{ a: 1 }, { a: "1" }],
    [{ a: "#0" }, { a: {} }],
    [["a"], { 0: "a" }],
    [{ a: 1, b: 2 }, { a: '1,"b":2' }],
    [[["a"], "b"], [["a", "b"]]],
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
  ])("keeps %j apart from %j", ([a, b], { expect }) => {
    const pool = new ValuePool();
    expect(pool.share(structuredClone(a))).not.toBe(pool.share(structuredClone(b)));
  });

  it("changes no value", ({ expect }) => {
    const values = array(jsonValue({ maxDepth: 4 }), { maxLength: 8 });
    assert(
      property(values, (list) => {
        const pool = new ValuePool();
        const shared = list.map((value) => pool.share(structuredClone(value)));
        expect(shared).toStrictEqual(list);
      }),
      { numRuns: 500 },
    );
  });
});

describe("zones with equal rules and the same profile", () => {
  it("share the merged rules", async ({ expect }) => {
    const zones = Array.from({ length: 10 }, (_, index) => zoneEntry(`${index}.example`));
    const { documents, diagnostics } = await loadText(`${profile}zones:\n${zones.join("")}`);
    expect(diagnostics).toEqual([]);
    const [last, other] = documents.map(({ content }) => content.rules.managed_rules).toReversed();
    expect(last?.items.map(({ key }) => key)).toEqual(["upload", "owasp"]);
    expect(last).toBe(other);
  });
});

const profile = `profiles:
  base: { managed_rules: { rules: [{ key: owasp, deploy: owasp, paranoia_level: 2 }] } }
`;

function zoneEntry(name: string): string {
  return `  - name: ${name}
    profiles: [base]
    managed_rules:
      rules:
        - key: upload
          before: owasp
          expression: http.request.uri.path eq "/upload"
          skip: { rulesets: [owasp] }
`;
}
