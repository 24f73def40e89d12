import { describe, it } from "vitest";

import { checkText } from "../../src/desired/load/check-text.ts";

describe("the version of a zone file", () => {
  it.for([
    {
      when: "it is newer: nothing else is said of the file",
      text: "version: 2\nzones: [{ site: a.example }]\nrules: {}\n",
      yields: ["1:10 FILE_NEWER"],
    },
    {
      when: "it is newer in a later document",
      text: "zones: []\n---\nversion: 3\n",
      yields: ["3:10 FILE_NEWER"],
    },
    { when: "it is none", text: "version: new\nzones: []\n", yields: ["1:10 WRONG_VALUE"] },
    { when: "it is the one of today", text: "version: 1\nzones: []\n", yields: [] },
  ])("where $when", ({ text, yields }, { expect }) => {
    const { diagnostics } = checkText("a.yaml", text);
    const found = diagnostics.map(({ place, code }) => `${place.line}:${place.column} ${code}`);
    expect(found).toEqual(yields);
  });
});
