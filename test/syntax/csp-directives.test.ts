import { describe, it } from "vitest";

import { checkCsp } from "../../src/syntax/csp/check-csp.ts";
import { compareCsp } from "../../src/syntax/csp/compare-csp.ts";
import { acceptedDirectives, cspDirectives } from "../../src/syntax/csp/csp-directives.ts";

/** What rules where a directive is absent, as CSP Level 3 lists it; all others stand alone. */
const fallbacks: Readonly<Record<string, string>> = {
  "script-src": "default-src",
  "script-src-elem": "script-src default-src",
  "script-src-attr": "script-src default-src",
  "style-src": "default-src",
  "style-src-elem": "style-src default-src",
  "style-src-attr": "style-src default-src",
  "connect-src": "default-src",
  "img-src": "default-src",
  "font-src": "default-src",
  "object-src": "default-src",
  "media-src": "default-src",
  "manifest-src": "default-src",
  "prefetch-src": "default-src",
  "child-src": "default-src",
  "frame-src": "child-src default-src",
  "fenced-frame-src": "frame-src child-src default-src",
  "worker-src": "child-src script-src default-src",
};

/** Directives that the service takes in a policy (SERVICE.md E.1). */
const accepted =
  "default-src script-src style-src connect-src img-src font-src object-src media-src manifest-src child-src " +
  "frame-src worker-src form-action base-uri frame-ancestors upgrade-insecure-requests";

/** Directives of which browsers know more, or did once. */
const others =
  "script-src-elem script-src-attr style-src-elem style-src-attr prefetch-src navigate-to fenced-frame-src " +
  "block-all-mixed-content sandbox plugin-types referrer reflected-xss report-to report-uri require-sri-for " +
  "require-trusted-types-for trusted-types webrtc";

describe("the directives of a policy", () => {
  it("are all known", ({ expect }) => {
    const known = [...accepted.split(" "), ...others.split(" ")].toSorted();
    expect([...cspDirectives.keys()].toSorted()).toEqual(known);
    expect(acceptedDirectives.toSorted()).toEqual(accepted.split(" ").toSorted());
  });

  it("of pages nearly always name their own origin in these", ({ expect }) => {
    const needing = acceptedDirectives.filter((name) => cspDirectives.get(name)?.needsSelf);
    const expected = "default-src script-src style-src connect-src img-src form-action";
    expect(needing).toEqual(expected.split(" "));
  });

  it.for([...cspDirectives.keys()])("%s has the fallback of CSP Level 3", (name, { expect }) => {
    const expected = fallbacks[name]?.split(" ") ?? [];
    expect(cspDirectives.get(name)?.fallback).toEqual(expected);
  });

  it.for(Object.entries(fallbacks))(
    "%s is freed and restricted through each of %s",
    ([name, chain], { expect }) => {
      for (const over of chain.split(" ")) {
        // What falls back is as strict as what it falls back to: naming it with the same sources changes nothing.
        expect(compareCsp(`${over} a.b`, `${over} a.b; ${name} a.b`).direction).toBe("equal");
        expect(compareCsp(`${over} a.b`, `${over} a.b; ${name} a.b c.d`).direction).toBe("looser");
      }
    },
  );

  it.for(others.split(" "))("%s is not one that the service takes", (name, { expect }) => {
    const codes = checkCsp(`${name} a.b`).map(({ code }) => code);
    expect(codes).toContain("CSP_UNSUPPORTED_DIRECTIVE");
  });
});
