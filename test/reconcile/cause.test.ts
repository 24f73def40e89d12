import { describe, it } from "vitest";

import type { ZoneContent } from "../../src/zone/desired-zone.ts";
import type { Policy } from "../../src/zone/resource.ts";
import { declared, deployment, desiredZone, policy, untuned } from "../support/model.ts";
import {
  causesFound,
  oneZoneRuns,
  type OneZoneRuns,
  statesAfter,
} from "../support/one-zone-runs.ts";

interface Kind {
  /** What is declared first. */
  readonly first: ZoneContent;
  /** With one field changed; with another; with both. */
  readonly edited: ZoneContent;
  /** Somebody changes the same field, or another one. */
  readonly drift: { readonly same: object; readonly other: object | undefined };
  /** What somebody sets to make the live state what is declared next. */
  readonly meets: object;
  readonly key: string;
  readonly field: string;
  readonly otherField: string;
}

function checkout(more: Partial<Policy> = {}): ZoneContent {
  return desiredZone({ policies: declared([policy("checkout", more)]) }).content;
}

function owasp(paranoiaLevel: 1 | 2 | 3): ZoneContent {
  const tuning = { ...untuned, paranoiaLevel, scoreThreshold: 40 };
  return desiredZone({ rules: { managed_rules: declared([deployment("owasp", { tuning })]) } })
    .content;
}

function reporting(value: boolean): ZoneContent {
  return desiredZone({
    settings: [
      { name: "enabled", value: true },
      { name: "use_connection_url_path", value },
    ],
  }).content;
}

const kinds: Readonly<Record<"setting" | "policy" | "rule", Kind>> = {
  // A setting is on or off: where both sides were changed, they are equal.
  setting: {
    first: reporting(true),
    edited: reporting(false),
    drift: { same: { settings: { use_connection_url_path: false } }, other: undefined },
    meets: { settings: { use_connection_url_path: false } },
    key: "setting/use_connection_url_path",
    field: "value",
    otherField: "",
  },
  policy: {
    first: checkout({ value: "script-src 'self'" }),
    edited: checkout({ value: "script-src 'self' cdn.example.com" }),
    drift: {
      same: { policy: "checkout", set: { value: "script-src 'self' evil.example" } },
      other: { policy: "checkout", set: { enabled: false } },
    },
    meets: { policy: "checkout", set: { value: "script-src 'self' cdn.example.com" } },
    key: "policy/checkout",
    field: "value",
    otherField: "enabled",
  },
  rule: {
    first: owasp(2),
    edited: owasp(3),
    drift: {
      same: { rule: "zonewarden:owasp", set: { paranoia_level: 1 } },
      other: { rule: "zonewarden:owasp", set: { enabled: false } },
    },
    meets: { rule: "zonewarden:owasp", set: { paranoia_level: 3 } },
    key: "managed_rule/owasp",
    field: "paranoia_level",
    otherField: "enabled",
  },
};

/** What happens to a zone that is in sync with the first declaration, and what a run finds then. */
interface Story {
  readonly when: string;
  readonly kinds: readonly (keyof typeof kinds)[];
  /** Gives the declaration that is then in force. */
  readonly happens: (runs: OneZoneRuns, kind: Kind) => Promise<ZoneContent>;
  readonly finds: (kind: Kind) => string;
}

async function drift(runs: OneZoneRuns, edit: object | undefined): Promise<void> {
  if (edit !== undefined) await runs.at.edit(edit);
}

/** The path of every write that changes something. */
const writes = { path: "*", count: 1 };

const stories: readonly Story[] = [
  {
    when: "nothing happens",
    kinds: ["setting", "policy", "rule"],
    happens: (_, { first }) => Promise.resolve(first),
    finds: () => "",
  },
  {
    when: "somebody changes the zone",
    kinds: ["setting", "policy", "rule"],
    happens: async (runs, { first, drift: { same } }) => {
      await drift(runs, same);
      return first;
    },
    finds: ({ key, field }) => `${key} drift(${field})`,
  },
  {
    when: "the file is changed",
    kinds: ["setting", "policy", "rule"],
    happens: (_, { edited }) => Promise.resolve(edited),
    finds: ({ key, field }) => `${key} pending(${field})`,
  },
  {
    when: "both change the same field",
    kinds: ["policy", "rule"],
    happens: async (runs, { edited, drift: { same } }) => {
      await drift(runs, same);
      return edited;
    },
    finds: ({ key, field }) => `${key} drift(${field}) pending(${field})`,
  },
  {
    when: "both change different fields",
    kinds: ["policy", "rule"],
    happens: async (runs, { edited, drift: { other } }) => {
      await drift(runs, other);
      return edited;
    },
    finds: ({ key, field, otherField }) => `${key} drift(${otherField}) pending(${field})`,
  },
  {
    when: "both change the same field to the same value",
    kinds: ["setting", "policy", "rule"],
    happens: async (runs, { edited, meets }) => {
      await drift(runs, meets);
      return edited;
    },
    finds: () => "",
  },
  {
    when: "the service refuses the write of a changed file",
    kinds: ["setting", "policy", "rule"],
    happens: async (runs, { edited }) => {
      for (const method of ["PUT", "PATCH"]) {
        await runs.at.fault({ fault: "status", status: 400, method, ...writes });
      }
      await runs.run(edited, "enforce");
      return edited;
    },
    finds: ({ key, field }) => `${key} pending(${field})`,
  },
  {
    when: "the correction of drift is refused",
    kinds: ["setting", "policy", "rule"],
    happens: async (runs, { first, drift: { same } }) => {
      await drift(runs, same);
      for (const method of ["PUT", "PATCH"]) {
        await runs.at.fault({ fault: "status", status: 400, method, ...writes });
      }
      await runs.run(first, "enforce");
      return first;
    },
    finds: ({ key, field }) => `${key} drift(${field})`,
  },
  {
    when: "the answer to a correction of drift is lost with the request",
    kinds: ["setting", "policy", "rule"],
    happens: async (runs, { first, drift: { same } }) => {
      await drift(runs, same);
      for (const method of ["PUT", "PATCH"]) {
        await runs.at.fault({ fault: "lost_request", method, path: "*" });
      }
      await runs.run(first, "enforce");
      return first;
    },
    finds: ({ key, field }) => `${key} drift(${field})`,
  },
  {
    when: "the write of a changed file is lost",
    kinds: ["setting", "policy", "rule"],
    happens: async (runs, { edited }) => {
      for (const method of ["PUT", "PATCH"]) {
        await runs.at.fault({ fault: "lost_request", method, path: "*" });
      }
      await runs.run(edited, "enforce");
      return edited;
    },
    finds: ({ key, field }) => `${key} unknown(${field})`,
  },
  {
    when: "the answer to the write of a changed file is lost, and the file is changed back",
    kinds: ["setting", "policy", "rule"],
    happens: async (runs, { first, edited }) => {
      for (const method of ["PUT", "PATCH"]) {
        await runs.at.fault({ fault: "lost_answer", method, path: "*" });
      }
      await runs.run(edited, "enforce");
      return first;
    },
    finds: ({ key, field }) => `${key} unknown(${field})`,
  },
];

const rows = stories.flatMap((story) => story.kinds.map((kind) => ({ ...story, kind })));

/** Without a record, a difference has no known cause: nobody is accused. */
function withoutRecord(text: string): string {
  const fields = [...text.matchAll(/\(([^)]*)\)/g)].flatMap(([, names = ""]) => names.split(","));
  return text.replace(/ .*$/, ` unknown(${[...new Set(fields)].join(",")})`);
}

describe("why a zone differs that was in sync", () => {
  it.for(rows)("$kind: where $when", async (row, { expect }) => {
    await using runs = await oneZoneRuns();
    const kind = kinds[row.kind];
    await runs.run(kind.first, "enforce");
    const content = await row.happens(runs, kind);
    const expected = row.finds(kind);
    const before = await runs.run(content, "observe");
    expect(causesFound(before).join("; "), "before the restart").toBe(expected);
    const stored = new Map(runs.store.texts);
    for (const state of statesAfter) {
      for (const [zone, text] of stored) runs.store.texts.set(zone, text);
      runs.restart(state);
      const known = state === "kept" ? expected : withoutRecord(expected);
      for (const time of ["first", "second"]) {
        const after = await runs.run(content, "observe");
        const found = causesFound(after).join("; ");
        expect(sorted(found), `${time} run after a restart, state ${state}`).toBe(sorted(known));
      }
    }
  });
});

/** Fields of a cause have the order of the plan. */
function sorted(text: string): string {
  return text.replace(
    /\(([^)]*)\)/g,
    (_, names: string) => `(${names.split(",").toSorted().join(",")})`,
  );
}
