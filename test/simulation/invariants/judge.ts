import { type Invariant, Violation } from "./invariant.ts";
import { invariants } from "./invariants.ts";

/** Asks the invariants, up to the first that does not hold. */
export class Judge {
  readonly #where: () => string;
  #violation: Violation | undefined;

  /** @param where tells the moment, for the message. */
  constructor(where: () => string) {
    this.#where = where;
  }

  /** What did not hold first. */
  get violation(): Violation | undefined {
    return this.#violation;
  }

  get isBroken(): boolean {
    return this.#violation !== undefined;
  }

  check(ask: (invariant: Invariant) => string | undefined): void {
    for (const invariant of invariants) {
      if (this.isBroken) return;
      const what = ask(invariant);
      if (what !== undefined) this.violate(invariant.name, what);
    }
  }

  violate(invariant: string, what: string): void {
    this.#violation ??= new Violation(invariant, `${what} (${this.#where()})`);
  }
}
