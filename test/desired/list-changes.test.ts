import * as fc from "fast-check";
import { describe, it } from "vitest";

import { showZone } from "../../src/desired/zones/show-zone.ts";
import { ValueMerger } from "../../src/desired/zones/value-merger.ts";
import { linesOf, loadText } from "../support/desired.ts";
import { placeOf } from "../support/place-of.ts";
import { cases } from "../support/properties.ts";

const id = "a".repeat(32);

/** Two profiles and two zones, so that what one zone changes cannot reach the other. */
function files(own: string, second = "{}"): string {
  return `profiles:
  base:
    page_shield:
      settings: { enabled: true }
      scripts: { pages: [a.example/pay/*, b.example/pay/*] }
      policies:
        items:
          - key: a
            action: log
            expression: ssl
            value: { script-src: ["'self'", cdn.example, js.example], object-src: ["'none'"], upgrade-insecure-requests: true }
            acknowledge: [old.example, older.example]
    custom_rules:
      rules:
        - { key: s, expression: ssl, action: skip, skip: { phases: [http_ratelimit], products: [bic, hot] } }
    rate_limiting_rules:
      rules:
        - { key: l, expression: ssl, action: log, ratelimit: { characteristics: [cf.colo.id, ip.src], period: 60, requests_per_period: 5, mitigation_timeout: 60 } }
    managed_rules:
      rules:
        - { key: m, expression: not ssl, skip: { rulesets: [owasp], rules: { cloudflare: [${id}] } } }
        - { key: o, deploy: owasp }
        - { key: c, deploy: cloudflare }
  second: ${second}
zones:
  - name: a.example
    profiles: [base, second]
    ${own}
  - { name: b.example, profiles: [base] }
`;
}

const policy = (fields: string): string =>
  `page_shield: { policies: { items: [{ key: a, ${fields} }] } }`;
const managed = (skip: string): string => `managed_rules: { rules: [{ key: m, skip: ${skip} }] }`;
const custom = (skip: string): string => `custom_rules: { rules: [{ key: s, skip: ${skip} }] }`;
const limit = (fields: string): string =>
  `rate_limiting_rules: { rules: [{ key: l, ratelimit: { ${fields} } }] }`;

async function contentsOf(text: string) {
  const state = await loadText(text);
  const [a, b] = state.documents.map(({ content }) => content);
  if (a === undefined || b === undefined) throw new Error(linesOf(state).join("\n"));
  return { a, b, lines: linesOf(state) };
}

describe("a list with add and remove", () => {
  it.for([
    {
      own: policy("value: { script-src: { add: [b.example, cdn.example] } }"),
      becomes: { policies: { items: [{ value: expect("b.example cdn.example js.example") }] } },
    },
    {
      own: policy("value: { script-src: { remove: [cdn.example], add: [b.example] } }"),
      becomes: { policies: { items: [{ value: expect("b.example js.example") }] } },
    },
    {
      own: policy("acknowledge: { add: [new.example], remove: [old.example] }"),
      becomes: { policies: { items: [{ acknowledge: ["new.example", "older.example"] }] } },
    },
    {
      own: "page_shield: { scripts: { pages: { remove: [b.example/pay/*] } } }",
      becomes: { scripts: { pages: ["a.example/pay/*"] } },
    },
    {
      own: custom("{ phases: { add: [http_request_sbfm] }, products: { remove: [hot] } }"),
      becomes: {
        rules: {
          custom_rules: {
            items: [
              { skip: { phases: ["http_ratelimit", "http_request_sbfm"], products: ["bic"] } },
            ],
          },
        },
      },
    },
    {
      own: limit("characteristics: { add: [http.host], remove: [ip.src] }"),
      becomes: {
        rules: {
          rate_limiting_rules: {
            items: [{ ratelimit: { characteristics: ["cf.colo.id", "http.host"] } }],
          },
        },
      },
    },
    {
      own: managed(
        `{ rules: { cloudflare: { add: [${"b".repeat(32)}] }, owasp: { add: [${id}] } } }`,
      ),
      becomes: {
        rules: {
          managed_rules: {
            items: [
              {
                skip: {
                  rules: {
                    efb7b8c949ac4650a09736fc376e9aee: [id, "b".repeat(32)],
                    // Over nothing, it is the list.
                    "4814384a9e5d4991b9815dcfc25d2f1f": [id],
                  },
                },
              },
              {},
              {},
            ],
          },
        },
      },
    },
  ])(
    "changes the list before it, in its zone alone: $own",
    async ({ own, becomes }, { expect: is }) => {
      const { a, b, lines } = await contentsOf(files(own));
      const { b: untouched } = await contentsOf(files("mode: enforce"));
      is(lines).toEqual([]);
      is(a).toMatchObject(becomes);
      is(b).toEqual(untouched);
    },
  );

  it("changes what several layers before it made, in their order", async ({ expect: is }) => {
    const second = `{ ${policy("value: { script-src: { add: [z.example, y.example], remove: [js.example] } }")} }`;
    const own = policy("value: { script-src: { remove: [z.example], add: [js.example] } }");
    const { a, lines } = await contentsOf(files(own, second));
    is(lines).toEqual([]);
    is(a.policies?.items[0]?.value).toContain(
      "script-src 'self' cdn.example js.example y.example;",
    );
  });

  it("after a whole list, starts from that one", async ({ expect: is }) => {
    const second = `{ ${policy(`value: { script-src: ["'self'", x.example] }`)} }`;
    const { a, lines } = await contentsOf(
      files(policy("value: { script-src: { add: [y.example] } }"), second),
    );
    is(lines).toEqual([]);
    is(a.policies?.items[0]?.value).toContain("script-src 'self' x.example y.example;");
  });

  it.for([
    {
      own: policy("value: { script-src: { remove: [cdn.exmple, js.example] } }"),
      at: "cdn.exmple",
      says: 'error: "cdn.exmple" cannot be removed: the list that a profile sets does not have it; did you mean "cdn.example"? [WRONG_VALUE]',
    },
    {
      own: policy("value: { img-src: { add: [a.example], remove: [b.example] } }"),
      at: "b.example]",
      says: 'error: "b.example" cannot be removed: the list that a profile sets does not have it; delete it here [WRONG_VALUE]',
    },
    {
      own: managed("{ rulesets: { remove: [free] } }"),
      at: "free]",
      says: 'error: "free" cannot be removed: the list that a profile sets does not have it; delete it here, the list has owasp [WRONG_VALUE]',
    },
    {
      own: policy("value: { upgrade-insecure-requests: { add: [a.example] } }"),
      at: "add",
      says: 'error: "add" changes a list, and the value here is true; write the whole list [WRONG_TYPE]',
    },
    // Beside it, nothing else is told of the value.
    {
      own: policy(
        "value: { upgrade-insecure-requests: { add: ['x.${zone.name}'] }, object-src: { add: [a.example] } }",
      ),
      at: "add",
      says: 'error: "add" changes a list, and the value here is true; write the whole list [WRONG_TYPE]',
    },
    {
      own: policy("value: { object-src: { add: [a.example] } }"),
      at: "object-src",
      says: "error: browsers ignore 'none' beside other sources; remove 'none', or all other sources [CSP_NONE_NOT_ALONE]",
    },
    {
      own: policy("value: { script-src: { add: ['a.example b.example; img-src *'] } }"),
      at: "'a.example b.",
      says: "error: an entry is one source, without semicolons; write each directive under its own name [CSP_BAD_ENTRY]",
    },
    {
      own: limit("characteristics: { add: cf.colo.id, remove: [ip.src] }"),
      at: "cf.colo.id, remove",
      says: 'error: expected a list, found "cf.colo.id"; write a list: ["cf.colo.id"] [WRONG_TYPE]',
    },
    {
      own: policy("value: { script-src: { ad: [a.example] } }"),
      at: "ad: [",
      says: 'error: unknown key "ad"; did you mean "add"? [UNKNOWN_KEY]',
    },
    {
      own: policy("value: { script-src: {} }"),
      at: "{} }",
      says: "error: the map is empty; add a key, or delete the map [WRONG_VALUE]",
    },
    {
      own: policy("value: { script-src: { add: a.example } }"),
      at: "a.example }",
      says: 'error: expected a list, found "a.example"; write a list: ["a.example"] [WRONG_TYPE]',
    },
    {
      own: policy("value: { script-src: a.example }"),
      at: "a.example }",
      says: 'error: expected a list or true or false, found "a.example"; write a list: ["a.example"] [WRONG_TYPE]',
    },
    {
      own: "page_shield: { policies: { items: { add: [x] } } }",
      at: "{ add",
      says: "error: expected a list, found a map; write a list: a dash before each item, or brackets around them [WRONG_TYPE]",
    },
    {
      own: "managed_rules: { rules: { remove: [m] } }",
      at: "{ remove",
      says: "error: expected a list, found a map; write a list: a dash before each item, or brackets around them [WRONG_TYPE]",
    },
    {
      own: custom("{ products: { add: [uaBlok] } }"),
      at: "uaBlok",
      says: 'error: "uaBlok" is none of bic, hot, rateLimit, securityLevel, uaBlock, waf, zoneLockdown; did you mean "uaBlock"? [WRONG_VALUE]',
    },
    {
      own: limit("characteristics: { add: [ip.scr] }"),
      at: "ip.scr",
      says: "warning: unknown field ip.scr; did you mean ip.src? [EXPR_UNKNOWN_FIELD]",
    },
    {
      own: limit("characteristics: { remove: [ip.src, cf.colo.id] }"),
      at: "{ remove: [ip.src",
      says: "error: the list is empty; add an item, or delete the key [WRONG_VALUE]",
    },
  ])("is told where it is wrong: $own", async ({ own, at, says }, { expect: is }) => {
    const text = files(own);
    const state = await loadText(text);
    is(linesOf(state)).toEqual([
      `a.yaml:${placeOf(text, own.includes(at) ? own : "", at)}: ${says}`,
    ]);
    is(state.documents.length).toBe(says.includes("error") ? 0 : 2);
  });

  it("shows which layer brings each member", async ({ expect: is }) => {
    const second = `{ ${policy("value: { script-src: { add: [z.example, cdn.example], remove: [js.example] } }")} }`;
    const own = policy(
      "value: { script-src: { add: [js.example] } }, acknowledge: { remove: [old.example] }",
    );
    const { documents } = await loadText(files(own, second));
    const shown = (showZone(documents, "a.example")?.values ?? []).map(
      ({ path, value, place, profile = "zone" }) =>
        `${path} = ${JSON.stringify(value)} (${place.line}:${place.column} ${profile})`,
    );
    const at = "page_shield.policies.items[a].value";
    is(shown.filter((line) => /script-src|object-src|acknowledge/.test(line))).toEqual([
      `${at}.script-src[] = "'self'" (11:35 base)`,
      `${at}.script-src[] = "cdn.example" (11:45 base)`,
      `${at}.script-src[] = "z.example" (24:87 second)`,
      `${at}.script-src[] = "js.example" (28:79 zone)`,
      `${at}.object-src = ["'none'"] (11:71 base)`,
      `page_shield.policies.items[a].acknowledge = ["older.example"] (28:96 zone)`,
    ]);
  });

  it("are told as they were written, where variables fill them", async ({ expect: is }) => {
    const { documents } = await loadText(`profiles:
  base:
    vars: { hosts: { type: list, items: host, default: [x.example, y.example] } }
    page_shield:
      policies:
        items:
          - { key: a, action: log, expression: ssl, value: { script-src: ["'self'", "\${vars.hosts}", "cdn.\${zone.name}"] } }
zones:
  - name: a.example
    profiles: [base]
    page_shield:
      policies:
        items:
          - { key: a, value: { script-src: { add: [js.example], remove: [y.example, "'self'"] } } }
`);
    const values = showZone(documents, "a.example")?.values ?? [];
    is(
      values
        .filter(({ path }) => path.endsWith("script-src[]"))
        .map(({ value, place, profile }) => [value, place.line, profile]),
    ).toEqual([
      ["x.example", 7, "base"],
      ["cdn.a.example", 7, "base"],
      ["js.example", 14, undefined],
    ]);
  });
});

function expect(sources: string): string {
  return `object-src 'none'; script-src 'self' ${sources}; upgrade-insecure-requests`;
}

describe("changes of lists", () => {
  const member = fc.constantFrom("a", "b", "c", "d", "e");
  const list = fc.uniqueArray(member);
  const change = fc
    .record({ add: list, remove: list }, { requiredKeys: [] })
    .filter(({ add, remove }) => add !== undefined || remove !== undefined);

  it("do what a set does, and keep the order of what stays", ({ expect: is }) => {
    fc.assert(
      fc.property(list, change, (before, { add = [], remove = [] }) => {
        const after = { ...(add.length > 0 && { add }), remove };
        const merged = new ValueMerger().merge({ x: before }, { x: after });
        const missing = remove.filter((each) => !before.includes(each));
        if (missing.length > 0) {
          is(merged).toEqual({ x: { ...after, of: before } });
          return;
        }
        const kept = before.filter((each) => !remove.includes(each));
        const added = add.filter((each) => !kept.includes(each));
        is(merged).toEqual({ x: [...kept, ...added] });
      }),
      cases(300),
    );
  });
});
