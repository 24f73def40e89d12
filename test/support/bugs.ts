/** Faults of the program that were told. One that a test neither expects nor takes fails it. */
export class Bugs {
  #told: readonly unknown[] = [];
  /** The zones of all that were told; "" for one of no zone. */
  readonly zones: string[] = [];

  tell(error: unknown, zone = ""): void {
    this.#told = [...this.#told, error];
    this.zones.push(zone);
  }

  /** Those told since the last call. */
  take(): readonly unknown[] {
    const told = this.#told;
    this.#told = [];
    return told;
  }

  /** Throws where one is left. */
  expectNone(): void {
    if (this.#told.length > 0) throw new AggregateError(this.#told, "faults of the program");
  }
}
