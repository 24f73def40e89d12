import { describe, it } from "vitest";

import { codeSpansOf, documents, documentText } from "../support/code-blocks.ts";
import { alerts, isUnknown } from "./example-checks.ts";

describe("the names in the documents", () => {
  it.for(documents)("%s names commands, keys, metrics and paths that exist", (file, { expect }) => {
    expect(codeSpansOf(file).filter(isUnknown)).toEqual([]);
  });

  it("are alerts that exist", ({ expect }) => {
    const named = documents.flatMap((file) => [
      ...(documentText(file).match(/\bZonewarden[A-Z]\w+(?!\w*\.)/g) ?? []),
    ]);
    expect(named.filter((name) => !alerts.includes(name))).toEqual([]);
  });

  it.for([
    "zonewarden describe",
    "zonewarden apply --force",
    "--no-such-option",
    "limits.max_delete",
    "zonewarden_no_such_metric",
    "src/nothing.ts",
  ])("do not include `%s`", (span, { expect }) => {
    expect(isUnknown(span)).toBe(true);
  });
});
