import * as fc from "fast-check";
import { describe, it } from "vitest";

import { auditedWriteOf } from "../../src/api/read/parse-audited-write.ts";
import { coerceObject } from "../../src/syntax/json.ts";
import { cases } from "../support/properties.ts";

const paths = [
  "/zones/z/page_shield",
  "/zones/z/page_shield/policies",
  "/zones/z/page_shield/policies/p",
  "/zones/z/rulesets/r",
  "/zones/z/rulesets/r/rules",
  "/zones/z/rulesets/r/rules/x",
  "/zones/z/rulesets/phases/http_request_firewall_managed/entrypoint",
  "/accounts/a/rulesets/r",
  "/zones",
  "",
];

/** Bodies with the names of the service, and any values. */
const body: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue(),
  fc.string(),
  fc.dictionary(
    fc.constantFrom(
      "enabled",
      "action",
      "expression",
      "value",
      "description",
      "rules",
      "id",
      "action_parameters",
      "logging",
      "position",
    ),
    fc.oneof(
      fc.jsonValue(),
      fc.constantFrom("execute", "skip", "(", "script-src 'self' ;;"),
      fc.record({ id: fc.string(), overrides: fc.jsonValue(), rules: fc.jsonValue() }),
      fc.array(fc.record({ id: fc.string(), action: fc.jsonValue() })),
    ),
  ),
);

describe("what an entry of the audit log wrote", () => {
  it("is told of any body, whether it is understood or not", ({ expect }) => {
    fc.assert(
      fc.property(
        fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", ""),
        fc.constantFrom(...paths),
        body,
        (method, path, made) => {
          const text = JSON.stringify(made);
          const { sent } = coerceObject(JSON.parse(`{"sent":${text}}`));
          const wrote = auditedWriteOf({ method, path, resourceId: "", body: sent });
          const isInZone = path.startsWith("/zones/z/");
          if (!isInZone || method === "" || method === "GET") expect(wrote).toBeUndefined();
          // The text of a body is the body.
          if (typeof sent !== "string") {
            expect(auditedWriteOf({ method, path, resourceId: "", body: text })).toEqual(wrote);
          }
        },
      ),
      cases(500),
    );
  });

  it("is not told of a body that is nested without end", ({ expect }) => {
    const deep = `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`;
    const request = { method: "PUT", path: "/zones/z/page_shield", resourceId: "", body: deep };
    expect(auditedWriteOf(request)).toMatchObject({ values: undefined });
  });
});
