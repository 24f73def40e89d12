import * as fc from "fast-check";
import { describe, it } from "vitest";

import { Heap } from "../../src/reconcile/queue/heap.ts";

function drained(heap: Heap<number>): readonly number[] {
  const out: number[] = [];
  for (let { first } = heap; first !== undefined; { first } = heap) {
    out.push(first);
    heap.removeFirst();
  }
  return out;
}

describe("a heap", () => {
  it("gives things in their order, whatever order they came in", ({ expect }) => {
    fc.assert(
      fc.property(fc.array(fc.integer()), (numbers) => {
        const heap = new Heap<number>((a, b) => a < b);
        for (const number of numbers) heap.add(number);
        expect(heap.size).toBe(numbers.length);
        expect(drained(heap)).toEqual(numbers.toSorted((a, b) => a - b));
      }),
    );
  });

  it("keeps its order when it is cleared of what is not wanted", ({ expect }) => {
    fc.assert(
      fc.property(fc.array(fc.integer()), (numbers) => {
        const heap = new Heap<number>((a, b) => a < b);
        for (const number of numbers) heap.add(number);
        heap.keepOnly((number) => number % 2 === 0);
        const even = numbers.filter((number) => number % 2 === 0);
        expect(drained(heap)).toEqual(even.toSorted((a, b) => a - b));
      }),
    );
  });
});
