import { describe, it } from "vitest";

import { compareCsp } from "../../src/syntax/csp/compare-csp.ts";

describe("the change of what browsers permit", () => {
  it.for([
    {
      when: "nothing changed",
      before: "img-src a",
      after: "img-src a",
      yields: "equal",
      tells: [],
    },
    {
      when: "only the writing changed",
      before: "img-src a b",
      after: "IMG-SRC b A;",
      yields: "equal",
      tells: [],
    },
    {
      when: "a source was added",
      before: "script-src 'self'",
      after: "script-src 'self' a.b",
      yields: "looser",
      tells: ["script-src added a.b looser"],
    },
    {
      when: "a source was removed",
      before: "script-src 'self' a.b",
      after: "script-src 'self'",
      yields: "stricter",
      tells: ["script-src removed a.b stricter"],
    },
    {
      when: "one source took the place of another",
      before: "script-src a.b",
      after: "script-src c.d",
      yields: "mixed",
      tells: ["script-src added c.d looser", "script-src removed a.b stricter"],
    },
    {
      when: "a host was added beside its wildcard",
      before: "script-src *.b.c",
      after: "script-src *.b.c a.b.c",
      yields: "equal",
      tells: ["script-src added a.b.c neutral"],
    },
    {
      when: "a host was widened to a wildcard",
      before: "script-src a.b.c",
      after: "script-src *.b.c",
      yields: "looser",
      tells: ["script-src added *.b.c looser", "script-src removed a.b.c neutral"],
    },
    {
      when: "'none' became an empty list",
      before: "script-src 'none'",
      after: "script-src",
      yields: "equal",
      tells: [],
    },
    {
      when: "a source took the place of 'none'",
      before: "script-src 'none'",
      after: "script-src a.b",
      yields: "looser",
      tells: ["script-src added a.b looser"],
    },
    {
      when: "a directive took over from default-src with the same sources",
      before: "default-src a.b",
      after: "default-src a.b; img-src a.b",
      yields: "equal",
      tells: [],
    },
    {
      when: "a directive took over from default-src with more",
      before: "default-src a.b",
      after: "default-src a.b; img-src a.b c.d",
      yields: "looser",
      tells: ["img-src added c.d looser"],
    },
    {
      when: "a directive went and default-src rules again",
      before: "default-src a.b; img-src 'none'",
      after: "default-src a.b",
      yields: "looser",
      tells: ["img-src added a.b looser"],
    },
    {
      when: "default-src went and one directive stays",
      before: "default-src a.b; img-src a.b",
      after: "img-src a.b",
      yields: "looser",
      tells: ["default-src freed  looser"],
    },
    {
      when: "a first directive began to rule",
      before: "",
      after: "img-src *",
      yields: "stricter",
      tells: ["img-src restricted  stricter"],
    },
    {
      when: "workers fell back from script-src to child-src",
      before: "script-src a.b; child-src a.b",
      after: "script-src a.b c.d; child-src a.b",
      yields: "looser",
      tells: ["script-src added c.d looser"],
    },
    {
      when: "workers got another ruler by the way",
      before: "script-src a.b",
      after: "script-src a.b; child-src c.d",
      yields: "mixed",
      tells: [
        "child-src restricted  stricter",
        "worker-src added c.d looser",
        "worker-src removed a.b stricter",
      ],
    },
    {
      when: "insecure requests are upgraded",
      before: "img-src a",
      after: "img-src a; upgrade-insecure-requests",
      yields: "stricter",
      tells: ["upgrade-insecure-requests restricted  stricter"],
    },
    {
      when: "only reporting changed",
      before: "img-src a",
      after: "img-src a 'report-sample'; report-to x",
      yields: "equal",
      tells: ["img-src added 'report-sample' neutral", "report-to restricted  neutral"],
    },
    {
      when: "reporting ended",
      before: "img-src a; report-uri /x",
      after: "img-src a",
      yields: "equal",
      tells: ["report-uri freed  neutral"],
    },
    {
      when: "the longest possible host was added beside its wildcard",
      before: "script-src *.b",
      after: `script-src *.b ${"a".repeat(251)}.b`,
      yields: "equal",
      tells: [`script-src added ${"a".repeat(251)}.b neutral`],
    },
    {
      when: "a directive that no browser knows changed",
      before: "foo-src a",
      after: "foo-src b",
      yields: "equal",
      tells: ["foo-src added b neutral", "foo-src removed a neutral"],
    },
    {
      when: "a hash switched 'unsafe-inline' off",
      before: "script-src 'unsafe-inline'",
      after: "script-src 'unsafe-inline' 'sha256-n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg='",
      yields: "mixed",
      tells: [
        "script-src added 'sha256-n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=' looser",
        "script-src removed 'unsafe-inline' stricter",
      ],
    },
    {
      when: "a directive that no browser knows went",
      before: "foo-src a; img-src b",
      after: "img-src b",
      yields: "equal",
      tells: ["foo-src freed  neutral"],
    },
    {
      when: "a directive that no browser knows came, and others changed",
      before: "img-src a; connect-src a",
      after: "foo-src a; img-src b; connect-src b",
      yields: "mixed",
      tells: [
        "connect-src added b looser",
        "connect-src removed a stricter",
        "foo-src restricted  neutral",
        "img-src added b looser",
        "img-src removed a stricter",
      ],
    },
    {
      when: "tokens changed, of which only browsers know the meaning",
      before: "sandbox allow-forms",
      after: "sandbox allow-forms allow-scripts",
      yields: "mixed",
      tells: ["sandbox added allow-scripts unclear"],
    },
    {
      when: "a host that is too long to exist was added beside its wildcard",
      before: "script-src *.b",
      after: `script-src *.b ${"a".repeat(252)}.b`,
      yields: "looser",
      tells: [`script-src added ${"a".repeat(252)}.b looser`],
    },
    {
      when: "trust began to be handed on for all, which disables 'unsafe-inline' for scripts",
      before: "default-src 'unsafe-inline'",
      after: "default-src 'unsafe-inline' 'strict-dynamic'",
      yields: "mixed",
      tells: [
        "default-src added 'strict-dynamic' unclear",
        "default-src removed 'unsafe-inline' stricter",
      ],
    },
    {
      when: "'unsafe-inline' was added for all where trust is handed on: it counts for styles",
      before: "default-src 'strict-dynamic'",
      after: "default-src 'strict-dynamic' 'unsafe-inline'",
      yields: "looser",
      tells: ["default-src added 'unsafe-inline' looser"],
    },
    {
      when: "'unsafe-inline' was added for elements where trust is handed on",
      before: "script-src-elem 'strict-dynamic'",
      after: "script-src-elem 'strict-dynamic' 'unsafe-inline'",
      yields: "equal",
      tells: [],
    },
    {
      when: "trust began to be handed on",
      before: "script-src a.b",
      after: "script-src a.b 'strict-dynamic'",
      yields: "mixed",
      tells: ["script-src added 'strict-dynamic' unclear"],
    },
    {
      when: "a repeated directive changed, which browsers ignore",
      before: "img-src a; img-src b",
      after: "img-src a; img-src c",
      yields: "equal",
      tells: [],
    },
  ])("when $when", ({ before, after, yields, tells }, { expect }) => {
    const { direction, changes } = compareCsp(before, after);
    expect(direction).toBe(yields);
    expect(
      changes.map(
        ({ directive, verb, source, effect }) => `${directive} ${verb} ${source} ${effect}`,
      ),
    ).toEqual(tells);
  });
});
