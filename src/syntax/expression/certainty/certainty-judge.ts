import { type Argument, type CallOperand, type Expression, nodesOf } from "../expression-tree.ts";
import { isOperand } from "../operand-type.ts";
import { printExpression } from "../print-expression.ts";
import { KnownValues } from "./known-values.ts";
import { Languages } from "./languages.ts";
import { TextLanguages } from "./text-languages.ts";

/** Whether an expression selects every request, or none; `depends` if neither is proved. */
export type Certainty = "always" | "never" | "depends";

/** Alternatives that are tried for one expression before giving up: nested ones multiply. */
const maxBranches = 1_000;

/** What no others are part of. */
type Condition = Extract<Expression, { readonly kind: "comparison" | "truth" }>;

/** An expression and whether it must hold. */
interface Goal {
  readonly expression: Expression;
  readonly holds: boolean;
}

/** Goals of which all must be fulfilled. */
type Way = readonly Goal[];

/** Ways of which one must be possible. */
type Choice = readonly Way[];

/** What follows from the conditions that were decided. */
export interface Known {
  /** Conditions by their text. */
  readonly outcomes: ReadonlyMap<string, boolean>;
  readonly values: KnownValues;
}

/**
 * Decides what expressions select, from what is known of fields and functions. It is never wrong
 * with `always` and `never`; what it does not know, or what takes too long, is `depends`.
 */
export class CertaintyJudge {
  readonly #zone: string | undefined;
  readonly #languages = new Languages();
  readonly #texts = new TextLanguages(this.#languages);
  #branches = 0;

  /** @param zone the zone whose requests are meant; without it, those of any zone */
  constructor(zone?: string) {
    this.#zone = zone;
  }

  /** Whether it gave up, so that what it takes for possible may not be. */
  get gaveUp(): boolean {
    return this.#branches > maxBranches || this.#languages.gaveUp;
  }

  certaintyOf(expression: Expression): Certainty {
    if (this.isNever(expression)) return "never";
    return this.#isPossible([{ expression, holds: false }]) ? "depends" : "always";
  }

  /** Whether certainly no request is selected by all expressions. */
  isNever(...expressions: readonly Expression[]): boolean {
    return this.waysToSelect(expressions).next().done === true;
  }

  /** Whether every request that `a` selects is certainly selected by `b` too. */
  implies(a: Expression, b: Expression): boolean {
    return !this.#isPossible([
      { expression: a, holds: true },
      { expression: b, holds: false },
    ]);
  }

  /**
   * What follows in each way in which all expressions can select a request. What takes too long, or
   * is not known, is among them.
   */
  waysToSelect(expressions: readonly Expression[]): Generator<Known> {
    return this.#ways(expressions.map((expression) => ({ expression, holds: true })));
  }

  #isPossible(goals: Way): boolean {
    return this.#ways(goals).next().done !== true;
  }

  *#ways(
    goals: Way,
    choices: readonly Choice[] = [],
    known: Known = { outcomes: new Map(), values: this.#nothing() },
  ): Generator<Known> {
    const open = [...goals];
    const left = [...choices];
    const outcomes = new Map(known.outcomes);
    const values = known.values.copy();
    for (let goal = open.pop(); goal !== undefined; goal = open.pop()) {
      const { expression, holds } = goal;
      if (isCondition(expression)) {
        if (!this.#canBe(expression, holds, outcomes, values)) return;
        continue;
      }
      const ways = waysOf(expression, holds);
      const [way] = ways;
      if (way === undefined) return;
      if (ways.length === 1) open.push(...way);
      else left.push(ways);
    }
    if (!values.arePossible()) return;
    const choice = left.pop();
    if (choice === undefined || this.#branches > maxBranches) yield { outcomes, values };
    else {
      this.#branches += choice.length;
      for (const way of choice) yield* this.#ways(way, left, { outcomes, values });
    }
  }

  #nothing(): KnownValues {
    return new KnownValues(this.#languages, this.#texts, this.#zone);
  }

  /** Notes that a condition holds or fails; returns whether it can. */
  #canBe(
    condition: Condition,
    holds: boolean,
    outcomes: Map<string, boolean>,
    values: KnownValues,
  ): boolean {
    const text = printExpression(condition);
    const outcome = outcomes.get(text);
    if (outcome !== undefined) return outcome === holds;
    outcomes.set(text, holds);
    if (condition.kind === "comparison") return values.compare(condition, holds);
    const { operand } = condition;
    return operand.kind === "field" || this.#canCall(operand, holds, values);
  }

  #canCall(call: CallOperand, holds: boolean, values: KnownValues): boolean {
    const [argument] = call.arguments;
    if (argument === undefined || call.indexes.length > 0) return true;
    if (call.name === "any") return !holds || this.#ofElements(argument) !== "never";
    // All elements of a list that is missing fulfil nothing.
    if (call.name === "all") {
      return holds || hasEntries(call) || this.#ofElements(argument) !== "always";
    }
    return values.call(call, holds);
  }

  /** The certainty of a condition on each element of a list. */
  #ofElements(argument: Argument): Certainty {
    if (isOperand(argument)) {
      const { offset, length } = argument;
      return this.certaintyOf({ kind: "truth", operand: argument, offset, length });
    }
    const isExpression =
      argument.kind !== "text" && argument.kind !== "integer" && argument.kind !== "address";
    return isExpression ? this.certaintyOf(argument) : "depends";
  }
}

function isCondition(expression: Expression): expression is Condition {
  return expression.kind === "truth" || expression.kind === "comparison";
}

/** Whether a list in a call is the entry of another one, which can be missing. */
function hasEntries(operand: CallOperand): boolean {
  return nodesOf({ kind: "truth", operand, offset: 0, length: 0 }).some(
    (node) => isOperand(node) && node.indexes.some(({ kind }) => kind !== "each"),
  );
}

/** The ways in which an expression that is made of others can be `outcome`. */
function waysOf(expression: Exclude<Expression, Condition>, outcome: boolean): Choice {
  if (expression.kind === "constant") return expression.value === outcome ? [[]] : [];
  if (expression.kind === "not") return [[{ expression: expression.item, holds: !outcome }]];
  const { items, connective } = expression;
  if (connective !== "xor") {
    const goals = items.map((item) => ({ expression: item, holds: outcome }));
    return (connective === "and") === outcome ? [goals] : goals.map((goal) => [goal]);
  }
  const [first, ...others] = items;
  if (first === undefined) return outcome ? [] : [[]];
  const rest: Expression = { ...expression, items: others };
  return [true, false].map((holds) => [
    { expression: first, holds },
    { expression: rest, holds: outcome !== holds },
  ]);
}
