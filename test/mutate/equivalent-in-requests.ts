/** Survivors in the requests, credentials and writes of `api` that were looked at. */
export const equivalentInRequests = [
  {
    file: "src/api/credentials/token.ts",
    how: "text.length < this.#value.length → false",
    why: "A shorter text cannot hold the token: it costs time.",
  },
  {
    file: "src/api/request/answer.ts",
    how: "status >= 200 && status < 300 → (status < 300)",
    line: "const isSuccess = status >= 200 && status < 300;",
    why: "The status of an answer is at least 200.",
  },
  {
    file: "src/api/request/answer.ts",
    how: "known.has(digest) → false",
    why: "A known body is parsed again: it costs time.",
  },
  {
    file: "src/api/request/call.ts",
    how: "routeParts.set(route, parts); → ;",
    why: "The route is parsed again: it costs time.",
  },
  {
    file: "src/api/request/client.ts",
    how: "0 → 1",
    line: "#status = 0;",
    why: "It is set before it is read.",
  },
  {
    file: "src/api/request/client.ts",
    how: "this.#chunks.length > 1 → ((this.#chunks.length) >= (1))",
    why: "One chunk is copied: it costs time.",
  },
  {
    file: "src/api/write/send-write.ts",
    how: "error instanceof ServiceError → true",
    line: 'const ray = error instanceof ServiceError ? error.ray : "";',
    why: "Another error means that the run was given up, and then nothing is looked up.",
  },
  {
    file: "src/api/write/send-write.ts",
    how: '"" → "mutant"',
    line: 'const ray = error instanceof ServiceError ? error.ray : "";',
    why: "Another error means that the run was given up, and then nothing is looked up.",
  },
  {
    file: "src/api/write/send-write.ts",
    how: 'after?.state !== "present" || before === undefined → (before === undefined)',
    why: "The version of an absent entry point is no number, and no comparison with it is true.",
  },
  {
    file: "src/api/write/send-write.ts",
    how: "?.map → .map",
    why: "Policies are read before one is created; the compiler does not know it.",
  },
  {
    file: "src/api/write/send-write.ts",
    how: "?.filter → .filter",
    why: "Policies are read before one is deleted; the compiler does not know it.",
  },
  {
    file: "src/api/write/send-write.ts",
    how: "policy === undefined || policies === undefined → (policy === undefined)",
    why: "Policies are read before one is written; the compiler does not know it.",
  },
  {
    file: "src/api/request/answer.ts",
    how: "isJsonObject(body) → true",
    line: 'return isJsonObject(body) ? (body["result"] ?? null) : null;',
    why: "Only a body that is an envelope is asked for its result; the compiler does not know it.",
  },
  {
    file: "src/api/request/answer.ts",
    how: "isJsonObject(body) → true",
    line: 'const info = isJsonObject(body) ? body["result_info"] : undefined;',
    why: "Only a body that is an envelope is asked for its pages; the compiler does not know it.",
  },
  {
    file: "src/api/request/answer.ts",
    how: "status >= 200 && status < 400 → (status < 400)",
    why: "The status of an answer is at least 200.",
  },
  {
    file: "src/api/request/call.ts",
    how: "known !== undefined → false",
    why: "The route is parsed again: it costs time.",
  },
  {
    file: "src/api/request/call.ts",
    how: "route, parts → parts, route",
    why: "The route is parsed again: it costs time.",
  },
  {
    file: "src/api/request/client.ts",
    how: "true → false",
    line: 'signal.addEventListener("abort", abort, { once: true });',
    why: "A signal aborts once, and the listener is removed when the request has ended.",
  },
  {
    file: "src/api/request/client.ts",
    how: 'error.fault ?? "reset" → (error.fault)',
    why: "The error of a connection always has a fault; the compiler does not know it.",
  },
  {
    file: "src/api/request/client.ts",
    how: '"reset" → ""',
    why: "The error of a connection always has a fault; the compiler does not know it.",
  },
  {
    file: "src/api/request/client.ts",
    how: "call.body === undefined → false",
    line: "body: call.body === undefined ? null : JSON.stringify(call.body),",
    why: "undici takes undefined for no body, too.",
  },
  {
    file: "src/api/request/client.ts",
    how: "this.#chunks.length > 1 → true",
    why: "One chunk is copied: it costs time.",
  },
  {
    file: "src/api/credentials/credential.ts",
    how: "this.#token !== undefined && isFresh → (isFresh)",
    why: "Only a token that was read is fresh; the compiler does not know it.",
  },
  {
    file: "src/api/request/retry.ts",
    how: '["aborted", undefined] → []',
    why: "The budget knows unsent, answered and unreachable; any other end is one that was aborted.",
  },
  {
    file: "src/api/request/retry.ts",
    how: '"aborted" → ""',
    why: "The budget knows unsent, answered and unreachable; any other end is one that was aborted.",
  },
  {
    file: "src/api/request/retry.ts",
    how: "!(error instanceof ServiceError) || error.status !== 0 → (error.status !== 0)",
    why: "Another error has no status, which is not 0; the compiler does not know it.",
  },
  {
    file: "src/api/request/retry.ts",
    how: "token !== undefined && credential.isRenewed(token) → (credential.isRenewed(token))",
    why: "The service refuses only what was sent with a token; the compiler does not know it.",
  },
  {
    file: "src/api/request/retry.ts",
    how: "0 → 1",
    line: "return error.transient && (error.status > 0 || error.fault !== undefined);",
    why: "No answer has the status 1.",
  },
  {
    file: "src/api/budget/rate-limiter.ts",
    how: '"" → "mutant"',
    why: "Any name will do that no policy of the service has.",
  },
  {
    file: "src/api/budget/rate-limiter.ts",
    how: "0 → 1",
    line: "return Math.floor((quota ?? 0) * reserve * untouchedReserve);",
    why: "A quarter of a reserve below one is less than one request.",
  },
  {
    file: "src/api/budget/rate-limiter.ts",
    how: "!Number.isFinite(this.#lastLow) || !Number.isFinite(returns) → (!Number.isFinite(returns))",
    why: "Without a request before, the time of the next one is long over.",
  },
] as const;
