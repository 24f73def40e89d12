import { createHash } from "node:crypto";

import { isJsonObject } from "../../src/syntax/json.ts";

/** A comment that is written once and then updated. */
export interface Comment {
  /** Tells the comments of a pull request apart: that of another configuration is another comment. */
  readonly key: string;
  readonly text: string;
  /** The address of the run, for a text that is too long. */
  readonly run: string;
}

/** Where the comment belongs. */
export interface Thread {
  /** The address of the issues of the repository; a pull request is an issue. */
  readonly api: string;
  readonly number: number;
  readonly token: string;
  /** The login that writes the comment. The comments of others are never changed, whatever they contain. */
  readonly author: string;
}

/** GitHub refuses longer comments. */
const maxLength = 65_536;

/** A pull request has hardly more comments, and a page has 100. */
const maxPages = 50;

/**
 * Updates the comment, or creates it; what was created twice at the same time is deleted once.
 *
 * @param isDispensable whether a comment that does not exist yet need not be created.
 */
export async function postComment(
  { key, text, run }: Comment,
  thread: Thread,
  isDispensable: boolean,
): Promise<"created" | "updated" | "not needed"> {
  const marker = `<!-- zonewarden-plan ${createHash("sha256").update(key).digest("hex").slice(0, 16)} -->`;
  const whole = `${marker}\n${text}`;
  const body =
    whole.length <= maxLength
      ? whole
      : `${marker}\n## zonewarden plan\n\nThe plan is too long for a comment: [the summary of the run](${run}) has it.\n`;
  const [first, ...others] = await ownComments(marker, thread);
  const { api, number } = thread;
  for (const id of others) await request("DELETE", `${api}/comments/${id}`, thread);
  if (first === undefined) {
    if (isDispensable) return "not needed";
    await request("POST", `${api}/${number}/comments`, thread, { body });
    return "created";
  }
  await request("PATCH", `${api}/comments/${first}`, thread, { body });
  return "updated";
}

/** The ids of the comments of the author that begin with the marker, oldest first. */
async function ownComments(marker: string, thread: Thread): Promise<readonly number[]> {
  const own: number[] = [];
  for (let page = 1; page <= maxPages; page += 1) {
    const url = `${thread.api}/${thread.number}/comments?per_page=100&page=${page}`;
    const comments = await request("GET", url, thread);
    if (!Array.isArray(comments)) throw new Error("GitHub answered with no list");
    for (const each of comments) {
      if (!isJsonObject(each) || !isJsonObject(each["user"])) continue;
      const { id, body, user } = each;
      if (user["login"] !== thread.author || typeof id !== "number") continue;
      if (typeof body === "string" && body.startsWith(marker)) own.push(id);
    }
    if (comments.length < 100) break;
  }
  return own;
}

/** Sends one request. Rejects where GitHub refuses it; neither the token nor the answer is in the message. */
async function request(
  method: "DELETE" | "GET" | "PATCH" | "POST",
  url: string,
  { token }: Thread,
  body?: { readonly body: string },
): Promise<unknown> {
  const response = await fetch(url, {
    method,
    headers: {
      accept: "application/vnd.github+json",
      authorization: `Bearer ${token}`,
      "user-agent": "zonewarden",
      "x-github-api-version": "2022-11-28",
    },
    signal: AbortSignal.timeout(30_000),
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) {
    await response.body?.cancel();
    const hint =
      response.status === 403 ? ": the job needs the permission pull-requests: write" : "";
    throw new Error(`GitHub answered ${response.status} to ${method}${hint}`);
  }
  return response.status === 204 ? undefined : await response.json();
}
