import { type SyntaxDiagnostic, diagnostic } from "../syntax-diagnostic.ts";
import { type Parameter, type Signature, expressionFunctions } from "./expression-functions.ts";
import type { Argument, CallOperand } from "./expression-tree.ts";
import { isMapped, isOperand, typeOfArgument } from "./operand-type.ts";
import { bytesOf } from "./read/read-string-literal.ts";

/** What makes a call differ from a signature. */
interface Misfit {
  /** The argument; `undefined` if there are too few. */
  readonly argument: Argument | undefined;
  readonly message: string;
}

export function checkCall(call: CallOperand): readonly SyntaxDiagnostic[] {
  const mapped = call.arguments.slice(1).find((each) => isOperand(each) && isMapped(each));
  if (mapped !== undefined) {
    const message = "[*] is only allowed in the first argument of a call";
    return [diagnostic("EXPR_BAD_ARGUMENT", mapped, message, "write an index such as [0]")];
  }
  const facts = expressionFunctions.get(call.name);
  const misfit = facts && (misfitOf(call, facts.signature) ?? misfitOfValue(call));
  if (facts === undefined || misfit === undefined) return [];
  const at = misfit.argument ?? call;
  if (facts.documented.some((signature) => misfitOf(call, signature) === undefined)) {
    const message = `the documentation of ${call.name} allows this, but the public engine of the service does not`;
    const remedy = "try it on a zone without visitors first";
    return [diagnostic("EXPR_ONLY_DOCUMENTED", at, message, remedy)];
  }
  const remedy = `write ${usageOf(call.name, facts.signature)}`;
  return [diagnostic("EXPR_BAD_ARGUMENT", at, misfit.message, remedy)];
}

function misfitOf(call: CallOperand, signature: Signature): Misfit | undefined {
  const { parameters, isVariadic } = signature;
  const given = call.arguments;
  const needed = parameters.filter(({ isOptional }) => !isOptional).length;
  if (given.length < needed) {
    const least = parameters.length > needed ? "at least " : "";
    const message = `${call.name} needs ${least}${counted(needed)}, not ${given.length}`;
    return { argument: undefined, message };
  }
  for (const [index, argument] of given.entries()) {
    const parameter = parameters[index] ?? (isVariadic ? parameters.at(-1) : undefined);
    if (parameter === undefined) {
      const message = `${call.name} has at most ${counted(parameters.length)}`;
      return { argument, message };
    }
    const message = messageAbout(argument, parameter, given[0]);
    if (message !== undefined) return { argument, message: `${call.name}: ${message}` };
  }
  return undefined;
}

/** What the engine refuses though its type fits. */
function misfitOfValue({ name, arguments: given }: CallOperand): Misfit | undefined {
  const [first, second] = given;
  if (name.startsWith("trim") && second?.kind === "text") {
    const isRepeated = new Set(bytesOf(second.text)).size < bytesOf(second.text).length;
    return isRepeated ? { argument: second, message: "a character is repeated" } : undefined;
  }
  if (name !== "hash_in_range" || first?.kind !== "integer" || second?.kind !== "integer") {
    return undefined;
  }
  const isRange = first.value < second.value;
  return isRange ? undefined : { argument: second, message: "the end is not after the start" };
}

function counted(count: number): string {
  return count === 1 ? "1 argument" : `${count} arguments`;
}

function messageAbout(
  argument: Argument,
  { kind, types }: Parameter,
  first: Argument | undefined,
): string | undefined {
  const isConstant = ["text", "integer", "address"].includes(argument.kind);
  if (kind === "field" && isConstant) return "this argument cannot be a constant";
  if (kind === "literal" && !isConstant) return "this argument must be a constant";
  const type = typeOfArgument(argument);
  const wanted = types.includes("same") ? [first && typeOfArgument(first)] : types;
  const known = wanted.filter((each) => each !== undefined);
  if (type === undefined || known.length === 0 || known.some((each) => is(type, each))) {
    return undefined;
  }
  return `this argument is of type ${type}, not ${known.join(" or ")}`;
}

/** Whether a type is the one that is wanted; `Array` and `Map` stand for those of any elements. */
function is(type: string, wanted: string): boolean {
  return type === wanted || type.startsWith(`${wanted}<`);
}

/**
 * A call with the types of its arguments: `starts_with(String, "String")`; quotes stand for a
 * constant.
 */
function usageOf(name: string, { parameters, isVariadic }: Signature): string {
  const parts = parameters.map(({ kind, types, isOptional }) => {
    const type = types.join(" or ").replace("same", "the same type");
    return `${kind === "literal" ? `constant ${type}` : type}${isOptional ? "?" : ""}`;
  });
  return `${name}(${parts.join(", ")}${isVariadic ? ", …" : ""})`;
}
