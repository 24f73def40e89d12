import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

import { describe, it } from "vitest";

import { exitCodes } from "../src/cli/exit-codes.ts";
import { placeOf, readmeParts } from "./support/readme-parts.ts";

const root = path.resolve(import.meta.dirname, "..");
const readme = readFileSync(path.join(root, "README.md"), "utf8");

describe("the README", () => {
  it("shows plan, metrics and operations as the program has them (npm run generate)", async ({
    expect,
  }) => {
    for (const [part, text] of Object.entries(await readmeParts())) {
      expect(placeOf(part).exec(readme)?.groups?.["text"], part).toBe(text);
    }
  });

  it("explains every exit code", ({ expect }) => {
    const codes = [...readme.matchAll(/^\| (\d) \| /gm)].map(([, code]) => Number(code));
    expect(codes).toEqual(Object.values(exitCodes));
  });

  it.for(["npm ci && npm start", "npm ci && npm test"])(
    "names %s near its top",
    (command, { expect }) => {
      expect(readme.slice(0, 1_200)).toContain(command);
    },
  );

  it("shows every room of the house in its floor plan, and no other", ({ expect }) => {
    const plan = /```text\nsrc\/\n(?<rooms>.*?)```/s.exec(readme)?.groups?.["rooms"] ?? "";
    const told = [...plan.matchAll(/^  (?<room>[\w.]+)/gm)].map(([, room]) => room);
    expect(new Set(told)).toEqual(new Set(readdirSync(path.join(root, "src"))));
  });

  it("links to nothing that is not there", ({ expect }) => {
    const links = [...readme.matchAll(/\]\((?<to>[^)]+)\)/g)].map(
      ({ groups }) => groups?.["to"] ?? "",
    );
    for (const link of links.filter((to) => !to.startsWith("http"))) {
      expect(() => readFileSync(path.join(root, link)), link).not.toThrow(/ENOENT/);
    }
  });
});
