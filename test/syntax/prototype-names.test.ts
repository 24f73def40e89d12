import { describe, it } from "vitest";

import { adviseExpression } from "../../src/syntax/expression/advice/advise-expression.ts";
import { patternOfField } from "../../src/syntax/expression/certainty/field-facts.ts";
import { isIndependent, valueOfField } from "../../src/syntax/expression/request-facts.ts";

/** What every object of JavaScript has, and no field or function of the rules language. */
describe.for(["__proto__", "constructor", "valueOf", "hasOwnProperty"])(
  "the name %s in an expression",
  (name) => {
    it("is no field that is known", ({ expect }) => {
      const request = { host: "shop.example.com", fields: new Map([["ip.src.asnum", 3n]]) };
      expect(valueOfField(name, request)).toBeUndefined();
      expect(valueOfField("ip.src.asnum", request)).toBe(3n);
      expect(patternOfField(name, undefined)).toBeUndefined();
      expect(isIndependent(name)).toBe(isIndependent("ip.src.asnum"));
    });

    it.for([
      name,
      `${name} eq "a"`,
      `lower(${name}) contains "A"`,
      `${name}(http.host, "A")`,
      `not ${name}(http.host) eq "A"`,
    ])("is judged without an internal error: %s", (expression, { expect }) => {
      expect(() => adviseExpression(expression, "request")).not.toThrow();
    });
  },
);
