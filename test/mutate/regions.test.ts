import { types } from "node:util";
import vm from "node:vm";

import { describe, it } from "vitest";

import { regionCounter } from "./region-counter.ts";
import { regionKeys, withCounters } from "./regions.ts";

/** Which of the marked places (`/*a*\/`) of a program run. */
function placesThatRun(text: string): readonly string[] {
  const context: Record<string, unknown> = {};
  vm.runInNewContext(withCounters(text, "f"), context);
  const ran: unknown = context[regionCounter];
  if (!isSet(ran)) return [];
  const keyOf = regionKeys(text, "f");
  return [...text.matchAll(/\/\*(\w)\*\//g)].flatMap(({ 1: name = "", index }) =>
    ran.has(keyOf({ start: index, end: index + 1 })) ? [name] : [],
  );
}

/** A set of another context is no instance of ours. */
function isSet(value: unknown): value is ReadonlySet<unknown> {
  return types.isSet(value);
}

describe("the regions of a text that run", () => {
  it.for([
    { text: "/*a*/ function f() { /*b*/ return 1; }", run: ["a"] },
    { text: "function f() { /*b*/ return 1; } f();", run: ["b"] },
    { text: "if (0) { /*a*/ } else { /*b*/ }", run: ["b"] },
    { text: "[1].map((x) => ({ x /*a*/ })); [].map((x) => 2 + /*b*/ x);", run: ["a"] },
    { text: "const a = 1 ? 2 + /*a*/ 3 : 4 + /*b*/ 5;", run: ["a"] },
    { text: "const a = 0 ? 0 : 1 ? 2 + /*a*/ 3 : 4 + /*b*/ 5;", run: ["a"] },
    { text: "const a = 0 && 2 + /*a*/ 3; const b = 0 || 2 + /*b*/ 3;", run: ["b"] },
    { text: "const f = (x) => x || (() => { /*a*/ })(); f(1);", run: [] },
    {
      text: "class A { b = /*a*/ 1; c() { /*b*/ } d = () => { /*c*/ }; } new A().d();",
      run: ["a", "c"],
    },
  ])("$text", ({ text, run }, { expect }) => {
    expect(placesThatRun(text)).toEqual(run);
  });
});
