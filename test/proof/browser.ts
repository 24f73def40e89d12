import { existsSync } from "node:fs";

import { type Browser, type Page, chromium } from "playwright-core";

import type { CspRequest } from "../../src/syntax/csp/csp-match.ts";

/** Where Debian puts its browser; another one can be named. */
export const executable: string = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** Why there is no browser to ask; `undefined` where there is one. */
export const noBrowser = existsSync(executable)
  ? undefined
  : `there is no ${executable}: apt-get install chromium, or name a browser in CHROMIUM`;

/** A page with policies, and what its code asks for. */
export interface Question {
  readonly page: string;
  /** All different. The first is enforced, the others only report: browsers read them alike. */
  readonly policies: readonly string[];
  /** What code asks for by URL; any other word: one of the ways in which a page itself loads something. */
  readonly request: CspRequest | PageLoad;
  readonly urls: readonly string[];
}

/** Ways of loading something that have a directive of their own. */
export const pageLoads = [
  "style",
  "image",
  "font",
  "media",
  "frame",
  "worker",
  "script attribute",
  "style attribute",
] as const;

/** One of {@link pageLoads}. */
export type PageLoad = (typeof pageLoads)[number];

/** A browser that says which requests policies are violated by. */
export interface Judge extends AsyncDisposable {
  /** For each policy, which of the URLs violate it, in their order. */
  blocked(question: Question): Promise<readonly (readonly string[])[]>;
}

/**
 * Starts the browser.
 *
 * Every request that its policies let through is answered here, so that no host has to exist and none is looked up.
 */
export async function startJudge(): Promise<Judge> {
  const browser = await chromium.launch({
    executablePath: executable,
    args: ["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND"],
  });
  return {
    blocked: (question) => askOn(browser, question),
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

async function askOn(browser: Browser, question: Question): Promise<Blocked> {
  const page = await browser.newPage();
  try {
    await answerAll(page, question);
    await page.goto(question.page);
    const { request, urls } = question;
    const violations = await page.evaluate(askAll, { request, urls: [...urls] });
    return question.policies.map((policy) => {
      const uris = new Set(violations.flatMap((each) => (each.policy === policy ? each.uri : [])));
      // Of a URL without a host an event tells the scheme alone, and of an attribute that it is inline.
      return urls.filter(
        (url) =>
          uris.has(url) || uris.has(new URL(url).protocol.slice(0, -1)) || uris.has("inline"),
      );
    });
  } finally {
    await page.close();
  }
}

type Blocked = readonly (readonly string[])[];

async function answerAll(page: Page, { policies, page: address }: Question): Promise<void> {
  const [enforced = "", ...reported] = policies;
  const rules = {
    "content-security-policy": enforced,
    "content-security-policy-report-only": reported.join(", "),
  };
  await page.route("**", async (route) => {
    const isPage = route.request().url() === new URL(address).href;
    await route.fulfill({
      status: 200,
      headers: {
        "content-type": isPage ? "text/html" : "text/javascript",
        "access-control-allow-origin": "*",
        ...(isPage ? rules : {}),
      },
      body: isPage ? "<!doctype html><title>page</title>" : "",
    });
  });
}

/** What {@link askAll} uses of a page, which is not typed here: everything else runs in Node. */
declare const document: EventTarget & {
  readonly body: { append(element: PageElement): void };
  createElement(name: string): PageElement;
};
declare const Worker: new (url: string) => EventTarget;
declare const FontFace: new (name: string, source: string) => { load(): Promise<unknown> };

interface PageElement extends EventTarget {
  setAttribute(name: string, value: string): void;
}

/** Runs in the page: asks for each URL and hears which are violations of which policy. */
async function askAll(question: {
  readonly request: string;
  readonly urls: readonly string[];
}): Promise<readonly { readonly policy: string; readonly uri: string }[]> {
  const violations: { policy: string; uri: string }[] = [];
  document.addEventListener("securitypolicyviolation", (event) => {
    if ("blockedURI" in event && "originalPolicy" in event) {
      violations.push({ policy: String(event.originalPolicy), uri: String(event.blockedURI) });
    }
  });
  const load = async (
    name: string,
    attributes: Readonly<Record<string, string>>,
  ): Promise<void> => {
    const element = document.createElement(name);
    const ended = new Promise<void>((resolve) => {
      for (const end of ["load", "error"]) element.addEventListener(end, () => resolve());
      // Not every element tells of its end.
      if (name !== "script") setTimeout(resolve, 200);
    });
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    document.body.append(element);
    await ended;
  };
  const ways: Readonly<Record<string, (url: string) => unknown>> = {
    script: (src) => load("script", { src }),
    connection: (url) => (url.startsWith("ws") ? new WebSocket(url).close() : fetch(url)),
    style: (href) => load("link", { rel: "stylesheet", href }),
    image: (src) => load("img", { src }),
    font: (url) => new FontFace("any", `url(${url})`).load(),
    media: (src) => load("audio", { src }),
    frame: (src) => load("iframe", { src }),
    worker: (url) => new Worker(url),
    "script attribute": () => load("p", { onclick: "1" }),
    "style attribute": () => load("p", { style: "color: red" }),
  };
  await Promise.all(
    question.urls.map(async (url) => {
      try {
        await ways[question.request]?.(url);
      } catch {
        // A violation throws in some of these ways and is an event in all of them.
      }
    }),
  );
  // Violations are events of the page's own queue, which comes before this timer.
  await new Promise((resolve) => {
    setTimeout(resolve, 20);
  });
  return violations;
}
