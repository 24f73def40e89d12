import { existsSync } from "node:fs";

import { chromium, type Browser, type Page } from "playwright-core";

import type { CspRequest } from "../../src/syntax/csp-match.ts";

/** Where Debian puts its browser; another one can be named. */
const executable = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** Why there is no browser to ask; `undefined` where there is one. */
export const noBrowser = existsSync(executable)
  ? undefined
  : `there is no ${executable}: apt-get install chromium, or name a browser in CHROMIUM`;

/** A page with a policy, and what its code asks for. */
export interface Question {
  readonly page: string;
  readonly policy: string;
  readonly request: CspRequest;
  readonly urls: readonly string[];
}

/** A browser that says which requests a policy keeps from being sent. */
export interface Judge extends AsyncDisposable {
  /** Which of the URLs the policy blocks, in their order. */
  blocked(question: Question): Promise<readonly string[]>;
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

async function askOn(browser: Browser, question: Question): Promise<readonly string[]> {
  const page = await browser.newPage();
  try {
    await answerAll(page, question);
    await page.goto(question.page);
    const { request, urls } = question;
    return await page.evaluate(askAll, { request, urls: [...urls] });
  } finally {
    await page.close();
  }
}

async function answerAll(page: Page, { policy, page: address }: Question): Promise<void> {
  await page.route("**", async (route) => {
    const isPage = route.request().url() === address;
    await route.fulfill({
      status: 200,
      headers: {
        "content-type": isPage ? "text/html" : "text/javascript",
        "access-control-allow-origin": "*",
        ...(isPage ? { "content-security-policy": policy } : {}),
      },
      body: isPage ? "<!doctype html><title>page</title>" : "",
    });
  });
}

/** What {@link askAll} uses of a page, which is not typed here: everything else runs in Node. */
declare const document: EventTarget & {
  readonly head: { append(script: PageScript): void };
  createElement(name: "script"): PageScript;
};

interface PageScript extends EventTarget {
  src: string;
}

/** Runs in the page: asks for each URL and hears which are violations. */
async function askAll(question: {
  readonly request: CspRequest;
  readonly urls: readonly string[];
}): Promise<readonly string[]> {
  const violations: string[] = [];
  document.addEventListener("securitypolicyviolation", (event) => {
    if ("blockedURI" in event) violations.push(String(event.blockedURI));
  });
  const asked = question.urls.map(async (url) => {
    if (question.request === "script") {
      const script = document.createElement("script");
      const ended = new Promise((resolve) => {
        script.addEventListener("load", resolve);
        script.addEventListener("error", resolve);
      });
      script.src = url;
      document.head.append(script);
      await ended;
    } else if (url.startsWith("ws")) {
      try {
        new WebSocket(url).close();
      } catch {
        // A violation throws in some browsers and is an event in all of them.
      }
    } else await fetch(url).catch(() => undefined);
  });
  await Promise.all(asked);
  // Violations are events of the page's own queue, which comes before this timer.
  await new Promise((resolve) => {
    setTimeout(resolve, 20);
  });
  // Of a URL without a host an event tells the scheme alone.
  return question.urls.filter(
    (url) => violations.includes(url) || violations.includes(new URL(url).protocol.slice(0, -1)),
  );
}
