import { commandRetry, type RetryPolicy } from "../../api/request/retry.ts";
import type { Config, CredentialConfig } from "../../desired/config/config.ts";
import { connect, type ServiceClient } from "../../host/connect.ts";
import type { Host } from "../../host/host.ts";
import { readSecret } from "../../host/secrets.ts";
import { plural } from "../../render/format.ts";
import type { Zone } from "../../zone/zone.ts";
import { exitCodeOfFailure, exitCodes } from "../output/exit-codes.ts";
import type { CheckObserver } from "./check-observer.ts";
import { failureOf, fine, type CheckFinding, finding } from "./finding.ts";

/** A person waits: what fails is told at once, and a long wait for the rate limit is none. */
export const checkRetry: RetryPolicy = {
  ...commandRetry,
  maxAttempts: 2,
  deadlineMs: 5_000,
  rateLimitDeadlineMs: 5_000,
};

/** What a credential lists. */
export interface Listed {
  readonly credential: string;
  /** `undefined`: the listing failed. */
  readonly zones: readonly Zone[] | undefined;
  readonly findings: readonly CheckFinding[];
}

/** Lists the zones of one credential, and verifies its token. */
export async function checkToken(
  credential: CredentialConfig,
  { config, baseUrl, host }: ServicePlace,
  observer: CheckObserver,
  stop: AbortSignal,
): Promise<Listed> {
  const { name } = credential;
  const alone = { ...config, credentials: [credential] };
  await using client = connect(alone, baseUrl, host, observer, checkRetry);
  using _watch = observer.watch(client.credentials);
  try {
    const { zones } = await client.reader.listZones(stop);
    if (zones.length === 0) return { credential: name, zones, findings: [noZone(name)] };
    await client.reader.verifyTokens(zones, stop);
    return { credential: name, zones, findings: [validity(name, zones.length, client, host)] };
  } catch (error) {
    stop.throwIfAborted();
    const { code = "", message, remedy } = failureOf(error);
    const place = placeRemedies[code] ?? (isUnreachable(code) ? remedy : undefined);
    if (place !== undefined) {
      const found = finding("service", "error", { code, message, remedy: place });
      return { credential: name, zones: undefined, findings: [found] };
    }
    const why = await whyRejected(code, credential, client, host, stop);
    const who = `credential ${name}: `;
    // A message about a missing token names the credential itself.
    const facts = { code, message: message.startsWith(who) ? message : who + message, remedy };
    const found = finding("token", "error", { ...facts, ...why });
    return { credential: name, zones: undefined, findings: [found] };
  }
}

/** What to do where the address is wrong, or the service has a fault. */
const placeRemedies: Readonly<Record<string, string>> = {
  API_MALFORMED: "check that api.base_url is the service's, and any proxy on the way to it",
  API_NOT_FOUND: "check that api.base_url is the service's: its path ends with /client/v4",
  API_SERVER: "the service has a fault: run zonewarden doctor again after some minutes",
  API_RATE_LIMITED:
    "something else uses the token too: wait some minutes, and lower budget.requests",
};

function isUnreachable(code: string): boolean {
  return exitCodeOfFailure(code) === exitCodes.unreachable;
}

/** Where the service is, and what is configured. */
export interface ServicePlace {
  readonly config: Config;
  readonly baseUrl: string;
  readonly host: Host;
}

function noZone(name: string): CheckFinding {
  const message = `credential ${name}: the service lists no zone for it`;
  const remedy = `give the token the permission Zone: Read for the zones, or correct \`accounts\` and \`zones\` of the credential ${name}`;
  return finding("token", "error", { message, remedy });
}

const dayMs = 24 * 3_600_000;

/** A token that ends sooner is worth a warning. */
const warnedDays = 14;

function validity(
  name: string,
  zones: number,
  { credentials }: ServiceClient,
  host: Host,
): CheckFinding {
  const [credential] = credentials;
  const { valid = true, expiresAt } = credential?.state ?? {};
  if (!valid) {
    const message = `credential ${name}: the service says that the token is not active`;
    const remedy = "enable the token, or create another one";
    return finding("token", "error", { message, remedy });
  }
  const leftMs = Number(expiresAt ?? Infinity) - Number(host.clock.now());
  if (expiresAt !== undefined && leftMs < warnedDays * dayMs) {
    const day = expiresAt.toISOString().slice(0, 10);
    const message = `credential ${name}: the token expires on ${day}`;
    const remedy = "create another token before that day, and put it in the place of this one";
    return finding("token", "warning", { message, remedy });
  }
  const end = expiresAt === undefined ? "" : `, until ${expiresAt.toISOString().slice(0, 10)}`;
  return fine("token", `credential ${name}: valid${end}, lists ${plural(zones, "zone")}`);
}

/** More about a token that is missing or that the service rejects. */
async function whyRejected(
  code: string,
  { name, source }: CredentialConfig,
  { reader, credentials }: ServiceClient,
  host: Host,
  stop: AbortSignal,
): Promise<{ readonly message?: string; readonly remedy?: string }> {
  if (code !== "API_UNAUTHORIZED" && code !== "API_NO_TOKEN") return {};
  const shape = shapeOf(await readSecret(source, host).catch(() => ""));
  if (shape !== undefined) {
    return { message: `credential ${name}: ${shape}`, remedy: "store only the token itself" };
  }
  if (code === "API_NO_TOKEN") {
    const remedy =
      "env" in source
        ? `export ${envShown(source.env)}, or correct token_env of the credential ${name}`
        : `write the token to the file, or correct token_file of the credential ${name}`;
    return { remedy };
  }
  await reader.verifyTokens([], stop).catch(() => undefined);
  const expiresAt = credentials[0]?.state.expiresAt;
  if (expiresAt === undefined || expiresAt > host.clock.now()) return {};
  const day = expiresAt.toISOString().slice(0, 10);
  return {
    message: `credential ${name}: the token expired on ${day}`,
    remedy: "create another token, and put it in the place of this one",
  };
}

/** Somebody may have written the token where the name of its variable belongs. */
function envShown(name: string): string {
  return /^[A-Z][A-Z0-9_]*$/.test(name) ? name : "the variable";
}

/** What is copied along with a token, or stored in its place. The text itself is never shown. */
function shapeOf(text: string): string | undefined {
  if (/^bearer\s/i.test(text)) return "the token begins with the word Bearer";
  if (/^(["']).*\1$/s.test(text)) return "the token is in quotation marks";
  if (/\s/.test(text)) return "the token contains spaces or several lines";
  return undefined;
}
