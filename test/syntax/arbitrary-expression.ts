import * as fc from "fast-check";

import {
  type AddressValue,
  type Argument,
  type Expression,
  type FieldOperand,
  type IntegerValue,
  type Member,
  type Operand,
  type Operator,
  type TextValue,
  type Value,
  connectives,
  operators,
} from "../../src/syntax/expression/expression-tree.ts";
import { typeOfOperand } from "../../src/syntax/expression/operand-type.ts";

const span = { offset: 0, length: 0 };

/** Texts with everything that needs an escape; bytes that only an escape can write among them. */
const texts = fc.oneof(
  fc.constantFrom("shop.example.com", "a", "", "/checkout", "*.example.com"),
  fc
    .array(fc.constantFrom("a", '"', "\\", "#", "\t", "\n", "é", "😢", "\udc80", "\udcff", "*"), {
      maxLength: 8,
    })
    .map((parts) => parts.join("")),
);

/** Patterns that the language can hold: brackets closed, no backslash at the end. */
const patterns = fc
  .array(fc.constantFrom("a", ".", '"', '"#', String.raw`\.`, String.raw`\d`, '["x]', "^", "é"), {
    maxLength: 8,
  })
  .map((parts) => parts.join(""));

const text: fc.Arbitrary<TextValue> = texts.map((value) => ({
  kind: "text",
  text: value,
  ...span,
}));

const integer: fc.Arbitrary<IntegerValue> = fc
  .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  .map((value) => ({ kind: "integer", value, ...span }));

const address: fc.Arbitrary<AddressValue> = fc
  .oneof(fc.ipV4(), fc.constantFrom("::", "2001:db8::1", "fe80::1:2", "::ffff:192.0.2.1"))
  .map((value) => ({ kind: "address", address: value, prefix: undefined, ...span }));

const network: fc.Arbitrary<AddressValue> = fc
  .tuple(address, fc.integer({ min: 0, max: 32 }))
  .map(([value, prefix]) => ({ ...value, prefix }));

const range: fc.Arbitrary<Member> = fc
  .tuple(fc.integer({ min: 0, max: 99 }), fc.integer({ min: 100, max: 999 }))
  .map(([from, to]) => ({
    kind: "range",
    from: { kind: "integer", value: BigInt(from), ...span },
    to: { kind: "integer", value: BigInt(to), ...span },
    ...span,
  }));

const field: fc.Arbitrary<FieldOperand> = fc
  .tuple(
    fc.constantFrom(
      "http.host",
      "ssl",
      "ip.src",
      "cf.threat_score",
      "http.request.headers",
      "x_1.y",
    ),
    fc.array(
      fc.oneof(
        fc.bigInt({ min: 0n, max: 9n }).map((item) => ({ kind: "item" as const, item, ...span })),
        // The name of an entry cannot have bytes that are no text.
        text
          .filter((key) => key.text.isWellFormed())
          .map((key) => ({ kind: "key" as const, key, ...span })),
        fc.constant({ kind: "each" as const, ...span }),
      ),
      { maxLength: 2 },
    ),
  )
  .map(([name, indexes]) => ({ kind: "field", name, indexes, ...span }));

/**
 * The value that an operator can have on its right.
 *
 * The engine reads a constant as one of the type of the left operand, so that one of another type is no address or number.
 */
function valueFor(operator: Operator, left: Operand): fc.Arbitrary<Value> {
  if (operator === "matches") {
    return patterns.map((value) => ({ kind: "text", text: value, ...span }));
  }
  if (operator.endsWith("wildcard")) return text;
  const type = typeOfOperand(left);
  const singles: fc.Arbitrary<TextValue | IntegerValue | AddressValue>[] = [text];
  if (type !== "IP") singles.push(integer);
  if (type !== "String" && type !== "Integer") singles.push(address);
  const constant: Value =
    operator === "in"
      ? { kind: "list", name: "cf.open_proxies", ...span }
      : { kind: "boolean", value: true, ...span };
  if (operator !== "in") return fc.oneof(...singles, fc.constant(constant));
  const members: fc.Arbitrary<Member>[] = [...singles];
  if (type !== "IP") members.push(range);
  if (type !== "String" && type !== "Integer") members.push(network);
  const set = fc
    .array(fc.oneof(...members), { maxLength: 4 })
    .map((list): Value => ({ kind: "set", members: list, ...span }));
  return fc.oneof(set, fc.constant(constant));
}

const trees = fc.letrec<{ expression: Expression; operand: Operand; argument: Argument }>(
  (tie) => ({
    operand: fc.oneof(
      { depthSize: "small" },
      field,
      fc
        .tuple(
          fc.constantFrom("lower", "any", "concat"),
          fc.array(tie("argument"), { maxLength: 3 }),
        )
        .map(([name, given]): Operand => ({
          kind: "call",
          name,
          arguments: given,
          indexes: [],
          ...span,
        })),
    ),
    argument: fc.oneof(
      { depthSize: "small" },
      field,
      text,
      integer,
      address,
      // A single operand in a call is an operand, not a condition.
      tie("expression").map((expression) =>
        expression.kind === "truth" ? expression.operand : expression,
      ),
    ),
    expression: fc.oneof(
      { depthSize: "small" },
      fc.boolean().map((value): Expression => ({ kind: "constant", value, ...span })),
      tie("operand").map((operand): Expression => ({ kind: "truth", operand, ...span })),
      fc.tuple(tie("operand"), fc.constantFrom(...operators)).chain(([left, operator]) =>
        valueFor(operator, left).map((right): Expression => ({
          kind: "comparison",
          left,
          operator,
          right,
          ...span,
        })),
      ),
      tie("expression").map((item): Expression => ({ kind: "not", item, ...span })),
      fc
        .tuple(
          fc.constantFrom(...connectives),
          fc.array(tie("expression"), { minLength: 2, maxLength: 3 }),
        )
        .map(([connective, items]): Expression => ({ kind: "logic", connective, items, ...span })),
    ),
  }),
);

/** Any expression that the language can write, without places. */
export const arbitraryExpression: fc.Arbitrary<Expression> = trees.expression;

/** The tree without its places, so that trees from different texts compare. */
export function withoutPlaces(tree: Expression): unknown {
  return JSON.parse(
    JSON.stringify(tree, (key, value: unknown) => {
      if (key === "offset" || key === "length" || key === "isShort") return undefined;
      return typeof value === "bigint" ? `${value}n` : value;
    }),
  );
}
