import { describe, it } from "vitest";

import { mutated, mutationsOf } from "./mutations.ts";

describe("the mutations of a text", () => {
  it.for([
    { text: "const a = b < c;", gives: ["const a = ((b) <= (c));", "const a = ((b) > (c));"] },
    { text: "if (a) b();", gives: ["if (true) b();", "if (false) b();", "if (a) ;"] },
    {
      text: "const a = !b ? 1 : c;",
      gives: ["true ? 1 : c", "false ? 1 : c", " b ? 1", "? 2 : c"],
    },
    {
      text: "f(true, 'x', 'of people', '');",
      gives: [";", "f('x', true, 'of people', '')", "false", '""', '"mutant"'],
    },
    { text: "function f() { return a; }", gives: ["return undefined;"] },
    { text: "function f() { return true; }", gives: ["return false;"] },
    { text: "function f() { return; }", gives: ["{ ; }"] },
    { text: "const f = () => a;", gives: ["() => undefined"] },
    { text: "const f = async () => { await a; };", gives: ["{ ; }", "{ a; }"] },
    {
      text: "while (a) { if (b) continue; break; }",
      gives: ["(false)", "(true)", "(false)", ") ;", "; }"],
    },
    { text: "if (a) throw b;", gives: ["true", "false", ") ;"] },
    { text: "for (const a of b) ;", gives: ["of []"] },
    { text: "const a = b.filter(c);", gives: ["const a = b;"] },
    { text: "const a = b.some(c);", gives: ["const a = b.every(c);"] },
    { text: "const a = b.toString(c);", gives: [] },
    { text: "const a = new B(c, d);", gives: ["new B(d, c)"] },
    { text: "const a = Math.max(b, c);", gives: ["Math.min(b, c)"] },
    { text: "const a = isDeepStrictEqual(b, c);", gives: [] },
    { text: "const a = [b];", gives: ["const a = [];"] },
    { text: "const a = { ...b };", gives: ["{ ...{} }"] },
    { text: "const a = [...b];", gives: ["= []", "[...[]]"] },
    { text: "const a = b ?? c;", gives: ["= (b);", "= (c);"] },
    { text: "const a = b && c;", gives: ["((b) || (c))", "= (b);", "= (c);"] },
    { text: "const a = b?.c;", gives: ["= b.c;"] },
    { text: "const a = b?.[c];", gives: ["= b[c];"] },
    { text: "const a = b.c?.(d);", gives: ["= b.c(d);"] },
    { text: "a += b;", gives: [";", "a -= b;"] },
    { text: "const f = () => { a++; };", gives: ["{ ; }", "a--;"] },
    { text: "const a = /^b$/u;", gives: ["/b$/u", "/^b/u"] },
    { text: "const a = `${b}/c`;", gives: ['= "";'] },
    { text: "const a = `${b} of people`;", gives: [] },
    { text: 'const a = { "x-y": b }; const c: "d" | 1 = e as "f";', gives: [] },
    { text: 'import { a } from "b"; type C = "d";', gives: [] },
  ])("$text", ({ text, gives }, { expect }) => {
    const texts = mutationsOf(text).map((each) => mutated(text, each));
    expect(texts).toHaveLength(gives.length);
    for (const [nth, part] of gives.entries()) expect(texts[nth]).toContain(part);
    expect(new Set(texts)).not.toContain(text);
  });

  it("say the line and the change", ({ expect }) => {
    const [first] = mutationsOf("const a = 1;\nconst b = c\n  && d;");
    expect(first).toMatchObject({ line: 1, how: "1 → 2" });
    const [, second] = mutationsOf("const a = 1;\nconst b = c\n  && d;");
    expect(second).toMatchObject({ line: 2, how: "c && d → ((c) || (d))" });
  });
});
