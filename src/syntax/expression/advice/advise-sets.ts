import { type SyntaxDiagnostic, diagnostic } from "../../syntax-diagnostic.ts";
import { type Comparison, comparedValues, type Member, type Value } from "../expression-tree.ts";
import { networkIn, type NumberSpan } from "../ip-address.ts";
import { includes, spanOf } from "../number-sets.ts";
import { printOperand, printValue } from "../print-expression.ts";

/** Warnings about sets, and about addresses that no visitor has. */
export function adviseSet(comparison: Comparison): readonly SyntaxDiagnostic[] {
  const { left, right } = comparison;
  const isVisitor = printOperand(left) === "ip.src";
  return [
    ...(right.kind === "set" ? [...emptySet(right), ...repeated(right.members)] : []),
    ...(isVisitor ? comparedValues(comparison).flatMap(privateAddress) : []),
  ];
}

function emptySet(set: Value & { readonly kind: "set" }): readonly SyntaxDiagnostic[] {
  if (set.members.length > 0) return [];
  const remedy = "add a value, or delete the condition";
  return [diagnostic("EXPR_EMPTY_SET", set, "nothing is in an empty set", remedy)];
}

/** Members that are there twice, and networks inside of others. */
function repeated(members: readonly Member[]): readonly SyntaxDiagnostic[] {
  const seen = new Set<string>();
  const networks: { readonly text: string; readonly range: NumberSpan }[] = [];
  return members.flatMap((member) => {
    const text = printValue(member);
    if (seen.has(text)) {
      const message = `${text} is already in the set`;
      return [diagnostic("EXPR_REPEATED_MEMBER", member, message, "delete one of the two")];
    }
    seen.add(text);
    const { kind } = member.kind === "range" ? member.from : member;
    const range = kind === "address" ? spanOf(member) : undefined;
    if (range === undefined) return [];
    const other = networks
      .slice(0, maxNetworks)
      .find((each) => includes(each.range, range) || includes(range, each.range));
    networks.push({ text, range });
    if (other === undefined) return [];
    const [inner, outer] = includes(other.range, range) ? [text, other.text] : [other.text, text];
    const message = `${inner} is part of ${outer}`;
    return [diagnostic("EXPR_NETWORK_OVERLAP", member, message, `delete ${inner}`)];
  });
}

/** Networks with which each is compared: more would take too long. */
const maxNetworks = 100;

function privateAddress(value: Value): readonly SyntaxDiagnostic[] {
  const span = spanOf(value);
  if (span === undefined || !privateRanges.some((each) => includes(each, span))) return [];
  const message = `${printValue(value)} is not public, so that no visitor has it`;
  const remedy = "write the public address under which they reach the service";
  return [diagnostic("EXPR_PRIVATE_ADDRESS", value, message, remedy)];
}

const privateRanges = [
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "::1/128",
  "fc00::/7",
  "fe80::/10",
]
  .map(networkIn)
  .filter((span) => span !== undefined);
