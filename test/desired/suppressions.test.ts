import { describe, it } from "vitest";

import { codesOf, linesOf, loadText } from "../support/desired.ts";

const text = (comment: string, value = "script-src 'self' 'unsafe-inline'"): string => `zones:
  - name: a.example
    page_shield:
      policies:
        items:
          - key: a
            action: log
            expression: "true"
            ${comment}
            value: ${value}
`;

describe("a suppression", () => {
  it("removes a warning, and is counted", async ({ expect }) => {
    expect(codesOf(await loadText(text("# nothing")))).toEqual(["10:38 CSP_UNSAFE_INLINE"]);
    const state = await loadText(
      text("# zonewarden-disable-next-line CSP_UNSAFE_INLINE -- the old shop needs it"),
    );
    expect(state.diagnostics).toEqual([]);
    expect(state.suppressed).toBe(1);
  });

  it("can name several codes, and precede other comments", async ({ expect }) => {
    const comment =
      "# zonewarden-disable-next-line CSP_UNSAFE_INLINE, CSP_NO_SELF -- old\n            # why\n";
    const state = await loadText(text(comment, "script-src 'unsafe-inline'"));
    expect(state.diagnostics).toEqual([]);
    expect(state.suppressed).toBe(2);
  });

  it.for([
    { comment: "# zonewarden-disable-next-line", says: "the comment names no code" },
    { comment: "# zonewarden-disable-next-line CSP_UNSAFE_INLINE", says: "gives no reason" },
    {
      comment: "# zonewarden-disable-next-line CSP_UNSAFE_INLIN -- x",
      says: 'did you mean "CSP_UNSAFE_INLINE"?',
    },
    {
      comment: "# zonewarden-disable-next-line UNKNOWN_KEY -- x",
      says: '"UNKNOWN_KEY" is not a warning',
    },
    {
      comment: "# zonewarden-disable-next-line CSP_NO_SELF -- x",
      says: "the comment suppresses nothing",
    },
  ])("is reported itself if it reads $comment", async ({ comment, says }, { expect }) => {
    const state = await loadText(text(comment));
    expect(linesOf(state).join("\n")).toContain(says);
    expect(codesOf(state)).toContain("9:1 BAD_SUPPRESSION");
  });

  it("does not suppress an error", async ({ expect }) => {
    const state = await loadText(
      text("# zonewarden-disable-next-line CSP_NONCE -- x", "script-src 'self' 'nonce-abc'"),
    );
    expect(codesOf(state)).toContain("10:38 CSP_NONCE");
    expect(state.suppressed).toBe(0);
  });
});

describe("an error inside a value", () => {
  it.for([
    { how: "plain", value: "scrip-src 'self'", at: "10:20" },
    { how: "in single quotes", value: "'scrip-src cdn.example'", at: "10:21" },
    { how: "in double quotes", value: "\"img-src 'self'; scrip-src 'self'\"", at: "10:37" },
    { how: "folded", value: ">-\n              img-src 'self'; scrip-src 'self'", at: "11:31" },
    {
      how: "with escapes before it",
      value: '"img-src \\u0027self\\u0027; scrip-src a"',
      at: "10:20",
    },
    {
      how: "on the second of two lines",
      value: "|\n              img-src 'self';\n              scrip-src a",
      at: "10:20",
    },
    { how: "as a map", value: '{ img-src: ["*"], scrip-src: [a] }', at: "10:38" },
    { how: "as a source of a map", value: "{ img-src: [\"'self'\", \"'slf'\"] }", at: "10:42" },
  ])("is reported at its place when it is written $how", async ({ value, at }, { expect }) => {
    const codes = codesOf(await loadText(text("# nothing", value)));
    expect(
      codes.filter((code) => /DIRECTIVE|KEYWORD/.test(code)).map((code) => code.split(" ")[0]),
    ).toEqual([at]);
  });
});
