import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

import { describe, it } from "vitest";

import { exitCodes } from "../src/cli/output/exit-codes.ts";
import { documentParts, placeOf } from "./support/document-parts.ts";

const root = path.resolve(import.meta.dirname, "..");
const readme = textOf("README.md");

function textOf(file: string): string {
  return readFileSync(path.join(root, file), "utf8");
}

describe("the documents", () => {
  it("show plan, metrics and operations as the program has them (npm run generate)", async ({
    expect,
  }) => {
    for (const part of await documentParts()) {
      expect(placeOf(part).exec(textOf(part.file))?.groups?.["text"], part.name).toBe(part.text);
    }
  });

  it.for(["README.md", "CONTRIBUTING.md", "deploy/README.md"])(
    "link to nothing that is not there: %s",
    (file, { expect }) => {
      const links = [...textOf(file).matchAll(/\]\((?<to>[^)#]+)\)/g)].map(
        ({ groups }) => groups?.["to"] ?? "",
      );
      const ours = links.filter((to) => !to.startsWith("http"));
      const at = path.join(root, path.dirname(file));
      expect(ours.filter((to) => !existsSync(path.join(at, to)))).toEqual([]);
    },
  );
});

describe("the facts of the service", () => {
  it("name their sources, and no source is left over", ({ expect }) => {
    const text = textOf("src/api/SERVICE.md");
    const defined = [...text.matchAll(/^\[([^\]]+)\]: https:\/\/\S+$/gm)].map(([, name]) => name);
    const told = text.replaceAll(/^\[.*$|`[^`]*`/gm, "");
    const named = [...told.matchAll(/\[([^\][]+)\](?:\[([^\][]+)\])?/g)].map(
      ([, words, name]) => name ?? words,
    );
    expect(new Set(named)).toEqual(new Set(defined));
  });
});

describe("the README", () => {
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
});

describe("the page for those who work on it", () => {
  it("shows every room of the house in its floor plan, and no other", ({ expect }) => {
    const text = textOf("CONTRIBUTING.md");
    const plan = /```text\nsrc\/\n(?<rooms>.*?)```/s.exec(text)?.groups?.["rooms"] ?? "";
    const told = [...plan.matchAll(/^  (?<room>[\w.]+)/gm)].map(([, room]) => room);
    expect(new Set(told)).toEqual(new Set(readdirSync(path.join(root, "src"))));
  });
});
