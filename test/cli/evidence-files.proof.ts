import { stat } from "node:fs/promises";
import path from "node:path";

import { describe, it } from "vitest";

import { nodeFiles } from "../../src/desired/file-system.ts";
import { ZoneFileLoader } from "../../src/desired/load/zone-file-loader.ts";
import type { FilesRevision } from "../../src/evidence/evidence-stories.ts";
import { systemClock } from "../../src/host/clock.ts";
import { commitLabel } from "../../src/host/commit-label.ts";
import { coerceObject, coerceObjects, coerceText, type JsonObject } from "../../src/syntax/json.ts";
import type { Ran, Workplace } from "../support/command-line.ts";
import { checkAt, packIn, pay, placeWith, run } from "../support/evidence-pack.ts";
import { historyOfChecks, schemaErrors } from "../support/evidence-story.ts";
import { commitFiles } from "../support/example-repository.ts";
import { day } from "../support/watched.ts";

const file = "zones/shop.yaml";
const policies = `      policies:
        items: [{ key: all, action: log, expression: "true", value: "script-src 'self'" }]
`;
const other = `          - url: https://cdn.example.net/a.js
            owner: shop team
            justification: images
`;

/** Commits the files as they are, and gives their revision as the daemon records it. */
async function commit({ directory }: Workplace): Promise<FilesRevision> {
  commitFiles(directory, "zones");
  return filesIn(directory);
}

async function filesIn(directory: string): Promise<FilesRevision> {
  const where = path.join(directory, "zones");
  const loader = new ZoneFileLoader({
    path: where,
    files: nodeFiles,
    label: commitLabel,
    clock: systemClock,
  });
  return loader.load(new AbortController().signal);
}

async function edit(place: Workplace, change: (text: string) => string): Promise<void> {
  await place.write(file, change(await place.read(file)));
}

/** The pack about checks with files, one a day. */
async function packOf(
  place: Workplace,
  ...used: readonly FilesRevision[]
): Promise<{ readonly ran: Ran; readonly zone: JsonObject }> {
  const checks = used.map(({ revision, commit: name }, days) => {
    return { ...checkAt(days, pay), files: { revision, commit: name } };
  });
  await place.write("state/history.jsonl", (await historyOfChecks(checks)).toString());
  const last = day(used.length - 1)
    .toISOString()
    .slice(0, 10);
  const ran = await run(place, "out", "--until", last, "--force");
  const text = await place.read("out/evidence.json");
  if (schemaErrors(text) !== null) throw new Error(JSON.stringify(schemaErrors(text)));
  return { ran, zone: (await packIn(place)).zone };
}

/** What was declared, with its revision and the days of its first and last check. */
function shown(items: JsonObject[string] | undefined, name: string): readonly string[] {
  return coerceObjects(items).map((each) => {
    const { url, key, justification = "" } = coerceObject(each[name]);
    const { revision } = coerceObject(each["files"]);
    const days = ["first_check_at", "last_check_at"].map((at) => coerceText(each[at]).slice(0, 10));
    return [url ?? key, justification, revision, ...days]
      .map((text) => coerceText(text))
      .join(" ")
      .trim();
  });
}

const [first, second, third] = [0, 1, 2].map((days) => day(days).toISOString().slice(0, 10));
const html = "<img src=x onerror=alert(1)>";

describe("the inventory in evidence", () => {
  it("is that of each revision of the period, read from Git", async ({ expect }) => {
    await using place = await placeWith(undefined);
    const a = await commit(place);
    const original = await place.read(file);
    await edit(place, (text) => `${text.replace(html, "card fields")}${other}${policies}`);
    const b = await commit(place);
    await place.write(file, original);
    const c = await commit(place);
    expect(c.revision).toBe(a.revision);
    await edit(place, (text) => text.replace(html, "changed after the period"));
    const now = await commit(place);
    const { ran, zone } = await packOf(place, a, b, c);
    expect(ran.stderr).not.toContain("missing:");
    expect(ran.code).toBe(0);
    expect(shown(zone["inventory"], "entry")).toEqual([
      `https://cdn.example.net/a.js images ${b.revision} ${second} ${second}`,
      `${pay} ${html} ${a.revision} ${first} ${first}`,
      `${pay} card fields ${b.revision} ${second} ${second}`,
      `${pay} ${html} ${c.revision} ${third} ${third}`,
    ]);
    expect(shown(zone["policies"], "policy")).toEqual([`all  ${b.revision} ${second} ${second}`]);
    expect(coerceObjects(zone["revisions"]).map(({ commit: name }) => name)).toEqual([
      a.commit,
      b.commit,
      c.commit,
    ]);
    expect(zone["declared"]).toMatchObject({ authorised: [{ justification: html }] });
    expect(await place.read("out/evidence.html")).toContain(`commit ${b.commit ?? "?"}`);
    const csv = await place.read("out/authorised-scripts.csv");
    expect(csv).not.toContain("changed after the period");
    expect(csv).not.toContain(now.commit);
    for (const written of ["evidence.html", "evidence.json", "SHA256SUMS"]) {
      const { mode } = await stat(path.join(place.directory, "out", written));
      expect(mode & 0o777).toBe(0o600);
    }
  });

  it("does not depend on mistakes in files of other zones", async ({ expect }) => {
    await using place = await placeWith(undefined);
    await place.write("zones/other.yaml", "zones:\n  - name: other.example\n    nonsense: 1\n");
    const a = await commit(place);
    await place.remove("zones/other.yaml");
    await commit(place);
    const { ran, zone } = await packOf(place, a);
    expect(ran.code).toBe(0);
    expect(shown(zone["inventory"], "entry")).toEqual([
      `${pay} ${html} ${a.revision} ${first} ${first}`,
    ]);
  });

  it("is one row where other files changed", async ({ expect }) => {
    await using place = await placeWith(undefined);
    const a = await commit(place);
    await place.write("zones/other.yaml", "zones: [{ name: other.example }]\n");
    const b = await commit(place);
    const { ran, zone } = await packOf(place, a, b, b);
    expect(ran.code).toBe(0);
    expect(shown(zone["inventory"], "entry")).toEqual([
      `${pay} ${html} ${a.revision} ${first} ${third}`,
    ]);
  });

  const forty = "0123456789".repeat(4);

  const unknown = [
    {
      is: (files: FilesRevision) => ({ ...files, commit: `${forty}-dirty` }),
      says: "the files were changed and not committed",
    },
    {
      is: (files: FilesRevision) => ({ ...files, commit: "--output=x" }),
      says: "the history names no commit that has them",
    },
    {
      is: (files: FilesRevision) => ({ ...files, commit: undefined }),
      says: "the history names no commit that has them",
    },
    {
      is: (files: FilesRevision) => ({ ...files, commit: forty }),
      says: "the repository has no revision",
    },
    {
      is: (files: FilesRevision) => ({ ...files, revision: "sha256-forged" }),
      says: "the commit has other files than those that were used",
    },
  ];

  it.for(unknown)(
    "is that of today where the files are not known: $says",
    async ({ is, says }, { expect }) => {
      await using place = await placeWith(undefined);
      const a = await commit(place);
      await edit(place, (text) => text.replace(html, "as it is now"));
      const { ran, zone } = await packOf(place, is(a));
      expect(ran.code).toBe(5);
      expect(ran.stderr).toContain("not known of 1 of 1 revision: see the revisions");
      expect(ran.stderr).toContain("The inventory at the end is that of the files as they are now");
      expect(shown(zone["inventory"], "entry")).toEqual([
        `${pay} as it is now ${(await filesIn(place.directory)).revision}`,
      ]);
      expect(coerceText(coerceObjects(zone["revisions"])[0]?.["not_known"])).toContain(says);
      expect(await place.read("out/evidence.html")).toContain(says);
    },
  );

  it("leaves out a revision with errors, or without a repository", async ({ expect }) => {
    await using place = await placeWith(undefined);
    await edit(place, (text) => `${text}nonsense: 1\n`);
    const broken = await commit(place);
    await edit(place, (text) => text.replace("nonsense: 1\n", ""));
    const fine = await commit(place);
    await edit(place, (text) => text.replace(html, "as it is now"));
    const { ran, zone } = await packOf(place, broken, fine);
    expect(ran.stderr).toContain("not known of 1 of 2 revisions: see the revisions");
    expect(ran.stderr).not.toContain("The inventory at the end");
    expect(coerceObjects(zone["revisions"])[0]?.["not_known"]).toBe("the files have errors");
    await place.remove(".git");
    const { ran: without, zone: alone } = await packOf(place, fine);
    expect(without.code).toBe(5);
    expect(coerceText(coerceObjects(alone["revisions"])[0]?.["not_known"])).toContain(
      "not a Git repository",
    );
  });
});
