import { millisecondsOf } from "../../syntax/duration.ts";
import { coerceList, coerceObject, coerceTexts } from "../../syntax/json.ts";
import { didYouMean } from "../../syntax/nearest.ts";
import { twins } from "../../syntax/twins.ts";
import { diagnosticCodes, factsOfCode } from "../../zone/diagnostic-codes.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import { labelSelector } from "../../zone/label-selector.ts";
import { zoneName } from "../../zone/zone.ts";
import { contradiction, diagnosticIn, type UnplacedDiagnostic } from "../diagnostics.ts";
import { configFileKind } from "../json-schema.ts";
import { type Located, type Path, pathText } from "../location.ts";
import { listenOf, metricLabelOf, shareOf } from "./normalize-config.ts";

/** Values by their paths. */
type Values<T> = readonly (readonly [path: Path, value: T])[];

/** A configuration file, of which the schema may have refused some values. */
interface CheckedFile {
  /** The value at a path; `undefined` if there is none, or the schema refused it. */
  readonly at: (path: Path) => unknown;
  /** The texts at some paths, as far as {@link at} gives them. */
  readonly texts: (paths: readonly Path[]) => Values<string>;
  /** The durations at some paths. */
  readonly milliseconds: (paths: readonly Path[]) => Values<number>;
  /** The shares at some paths, of which 1 is the whole. */
  readonly shares: (paths: readonly Path[]) => Values<number>;
  /** The paths of `key` in each entry of a list. */
  readonly each: (list: string, key: string) => readonly Path[];
  /** Whether some keys of the top level are there as they are meant: values can be compared. */
  readonly isSound: (keys: readonly string[]) => boolean;
}

/**
 * Checks what the schema cannot: URLs, schedules, time zones, and values that depend on others.
 *
 * @param file with the defaults
 * @param refused what the schema says of it: these values are not checked again
 */
export function validateConfig(
  file: unknown,
  refused: readonly Diagnostic[],
  document: Located,
  cronError: (expression: string) => string | undefined,
): readonly Diagnostic[] {
  const checked = checkedFile(file, refused);
  return [
    ...checkUrls(checked),
    ...checkNumbers(checked),
    ...checkCluster(checked),
    ...checkRollout(checked),
    ...checkMeasurements(checked),
    ...checkTimes(checked, cronError),
    ...checkLint(checked),
    ...repeatedNames("notification", checked),
    ...repeatedNames("credential", checked),
    ...repeatedNames("window", checked),
    ...repeatedMetricLabels(checked),
  ].map((found) => diagnosticIn(document, found));
}

function checkedFile(file: unknown, refused: readonly Diagnostic[]): CheckedFile {
  const paths = new Set(refused.map(({ path }) => path));
  const at = (path: Path): unknown =>
    paths.has(pathText(path)) ? undefined : path.reduce(partOf, file);
  const texts = (wanted: readonly Path[]): Values<string> =>
    wanted.flatMap((path) => {
      const text = at(path);
      return typeof text === "string" ? [[path, text] as const] : [];
    });
  return {
    at,
    texts,
    milliseconds: (wanted) => texts(wanted).map(([path, text]) => [path, millisecondsOf(text)]),
    shares: (wanted) =>
      wanted.flatMap((path) => {
        const share = at(path);
        const isShare = typeof share === "number" || typeof share === "string";
        return isShare ? [[path, shareOf(share)] as const] : [];
      }),
    each: (list, key) => coerceList(at([list])).map((_, index) => [list, index, key]),
    isSound: (keys) => {
      const broken = new Set([...paths].map((path) => /^[^.[]*/.exec(path)?.[0] ?? ""));
      return broken.isDisjointFrom(new Set(keys)) && broken.isSubsetOf(knownKeys);
    },
  };
}

const knownKeys: ReadonlySet<string> = new Set(configFileKind.keys);

function partOf(holder: unknown, step: string | number): unknown {
  return typeof step === "number" ? coerceList(holder)[step] : coerceObject(holder)[step];
}

function checkUrls({ at, texts, each }: CheckedFile): UnplacedDiagnostic[] {
  const allowsService = at(["api", "allow_http"]) === true;
  return [
    ...wrongValues(
      texts([["api", "base_url"]]),
      (text) => baseUrlError(text, allowsService),
      "write https://host/client/v4",
    ),
    ...wrongValues(texts(each("notifications", "url")), sinkUrlError, "write https://host/path"),
    ...wrongValues(texts([["server", "url"]]), pageUrlError, "write https://host"),
    ...wrongValues(
      texts(each("notifications", "labels")),
      (text) => labelSelector(text) === undefined && "this is no selector of labels",
      "write labels like team=payments,tier!=gold in lower case",
    ),
  ];
}

function baseUrlError(text: string, allowsService: boolean): string | undefined {
  const url = URL.parse(text);
  if (url === null) return "this is not a URL";
  if (url.username !== "" || url.password !== "") return "the URL has a user or password";
  if (url.search !== "" || url.hash !== "") return "the URL has a query or fragment";
  if (allowsService && url.protocol === "http:" && isService(url)) return undefined;
  return schemeError(url, "the token");
}

/**
 * The name of a Service, which the DNS of a cluster resolves: no address, and no name in another
 * domain.
 */
function isService({ hostname }: URL): boolean {
  return /^[a-z0-9-]+(\.[a-z0-9-]+\.svc(\.cluster\.local)?)?$/.test(hostname);
}

/** URLs of webhooks may have a query. */
function sinkUrlError(text: string): string | undefined {
  const url = URL.parse(text);
  return url === null ? "this is not a URL" : schemeError(url, "messages");
}

/** The status page links to paths of its host. */
function pageUrlError(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null) return "this is not a URL";
  if (!/^https?:$/.test(url.protocol)) return "the scheme is neither https nor http";
  return url.href === `${url.origin}/` ? undefined : "the URL has more than a scheme and a host";
}

/** Requires https, except on a loopback address. */
function schemeError({ protocol, hostname }: URL, sent: string): string | undefined {
  if (protocol === "https:") return undefined;
  if (protocol !== "http:") return "the scheme is neither https nor http";
  const isLoopback = /^(localhost|\[::1\]|127(\.\d+){3})$/.test(hostname);
  return isLoopback ? undefined : `http would send ${sent} unencrypted`;
}

function checkNumbers(checked: CheckedFile): UnplacedDiagnostic[] {
  const { at, texts, milliseconds, shares, each, isSound } = checked;
  const ports = texts([
    ["api", "emulator", "listen"],
    ["server", "listen"],
  ]).map(([path, text]) => [path, listenOf(text).port] as const);
  const durations = milliseconds([
    ["api", "timeout"],
    ["budget", "window"],
    ["limits", "contended_window"],
    ...(at(["inventory", "enabled"]) === true ? [["inventory", "every"]] : []),
    ...each("windows", "duration"),
  ]);
  const isFollowed = at(["audit", "enabled"]) === true;
  const [every] = isFollowed ? milliseconds([["audit", "every"]]) : [];
  const overlap = isFollowed && isSound(["audit"]) ? milliseconds([["audit", "overlap"]]) : [];
  return [
    ...wrongValues(
      ports,
      (port) => port > 65_535 && `${port} is not a port`,
      "write a number up to 65535",
    ),
    ...wrongValues(
      durations,
      (ms) => ms === 0 && "the duration must not be zero",
      "write a duration like 30s",
    ),
    ...wrongValues(
      milliseconds([["cluster", "lease_duration"]]),
      (ms) => (ms < 15_000 || ms > 300_000) && "the Lease would be too short or too long",
      "write a duration from 15s to 5m",
    ),
    // With no requests left for itself, the program would wait forever.
    ...wrongValues(
      shares([["budget", "reserve"]]),
      (share) => share > 0.95 && "this reserves all requests for others",
      "leave at least 5% for zonewarden: write a share up to 0.95",
    ),
    // It would use up the share of the request budget.
    ...wrongValues(
      every === undefined ? [] : [every],
      (ms) => ms < 15_000 && "the audit log would be read too often",
      "write a duration of at least 15s",
    ),
    // It would leave gaps.
    ...wrongValues(
      overlap,
      (ms) => ms < (every?.[1] ?? 0) && "the overlap is shorter than the time between two reads",
      "write a duration at least as long as audit.every",
    ),
  ];
}

/** Several processes share what they remember, or each new holder of the Lease would know nothing. */
function checkCluster({ at, isSound }: CheckedFile): UnplacedDiagnostic[] {
  const isAlone = at(["cluster"]) === undefined || !isSound(["cluster", "store"]);
  if (isAlone || at(["store", "postgres"]) !== undefined) return [];
  const message = `several processes share a database, and "cluster" is set without "store.postgres"`;
  const remedy = `set store.postgres, or remove "cluster" and run one process`;
  return [contradiction(["cluster"], message, remedy)];
}

const [shortestSoakMs, longestSoakMs] = [60_000, 14 * 24 * 3_600_000];

function checkRollout(checked: CheckedFile): UnplacedDiagnostic[] {
  const { at, milliseconds, isSound } = checked;
  if (at(["rollout"]) === undefined || !isSound(["rollout", "store"])) return [];
  const message = `zones wait for their wave over restarts, and "rollout" is set without "store"`;
  return [
    ...(at(["store"]) === undefined
      ? [contradiction(["rollout"], message, `set store, or remove "rollout"`)]
      : []),
    ...wrongValues(
      milliseconds([["rollout", "soak"]]),
      (ms) => (ms < shortestSoakMs || ms > longestSoakMs) && "the soak is too short or too long",
      "write a duration from 1m to 336h",
    ),
    ...checkRolloutToken(checked),
    ...checkWithoutWaves(checked),
    ...checkWaves(checked),
    ...checkGate(checked),
  ];
}

/** Without waves, people only command steps. */
function checkWithoutWaves({ at }: CheckedFile): UnplacedDiagnostic[] {
  if (at(["rollout", "waves"]) !== undefined) return [];
  const [path, gate] = [["rollout"], ["rollout", "gate"]];
  return [
    ...(at(["rollout", "token_file"]) === undefined
      ? [wrong(path, `neither "waves" nor "token_file" is set`, "set waves")]
      : []),
    ...(at(gate) === undefined
      ? []
      : [contradiction(gate, "there are no waves that it keeps", `set waves, or remove "gate"`)]),
  ];
}

function checkGate({ at, isSound }: CheckedFile): UnplacedDiagnostic[] {
  const [path, gate] = [["rollout", "gate"], at(["rollout", "gate"])];
  if (gate === undefined || !isSound(["rollout", "measurements"])) return [];
  const limits = ["violations_per_10k_requests", "blocked_per_10k_requests"];
  const isLimited = limits.some((key) => key in coerceObject(gate));
  const message = `a gate is kept by what is measured, and "rollout.gate" is set without "measurements"`;
  return [
    ...(isLimited ? [] : [wrong(path, "the gate limits nothing", `set ${limits.join(" or ")}`)]),
    ...(at(["measurements"]) === undefined
      ? [contradiction(path, message, `set measurements: {}, or remove "gate"`)]
      : []),
  ];
}

/** A token that is given to whatever starts runs must not end a rollout. */
function checkRolloutToken({ at }: CheckedFile): UnplacedDiagnostic[] {
  const file = at(["rollout", "token_file"]);
  if (file === undefined || file !== at(["server", "reconcile_token_file"])) return [];
  const message = "this is the token that only starts runs";
  return [wrong(["rollout", "token_file"], message, "write another token to a file of its own")];
}

/** Each zone must be in one wave, and each wave must add zones to the ones before. */
function checkWaves({ at, shares }: CheckedFile): UnplacedDiagnostic[] {
  const path = ["rollout", "waves"];
  const waves = coerceList(at(path)).map((_, nth) => [...path, nth]);
  const names = waves.flatMap((wave): Values<string> =>
    coerceTexts(at([...wave, "zones"])).map((name, nth) => [[...wave, "zones", nth], name]),
  );
  const ends = waves.map((wave) => [...wave, "share"]);
  const last = waves.at(-1);
  return [
    ...wrongValues(
      names,
      (name) => zoneName(name) === undefined && "this is no name of a zone",
      "write a name like shop.example.com",
    ),
    ...repeated(
      names,
      (text) => zoneName(text) ?? text,
      (text) => `${text} is named before`,
      "name it once",
    ),
    ...wrongValues(shares(ends), notRising(), "let the shares rise, and end with 100%"),
    ...(last !== undefined && shares(ends.slice(-1))[0]?.[1] !== 1
      ? [wrong(last, "the waves leave out zones", "end with { share: 100% }")]
      : []),
  ];
}

/** Texts whose names earlier ones have. */
function repeated(
  values: Values<string>,
  nameOf: (text: string) => string,
  message: (text: string) => string,
  remedy: string,
): UnplacedDiagnostic[] {
  return twins(values, ([, text]) => nameOf(text)).map(([[path, text]]) =>
    wrong(path, message(text), remedy),
  );
}

function notRising(): (share: number) => string | undefined {
  let before = 0;
  return (share) => {
    const isRising = share > before;
    before = Math.max(before, share);
    return isRising ? undefined : "the wave adds no zones to the ones before";
  };
}

function checkMeasurements({ at, milliseconds, isSound }: CheckedFile): UnplacedDiagnostic[] {
  const tooShort = wrongValues(
    milliseconds([["measurements", "max_age"]]),
    (ms) => ms < 48 * 3_600_000 && "counts would be dropped after a day",
    "write a duration of at least 48h",
  );
  const isKept = at(["store"]) !== undefined || !isSound(["measurements", "store"]);
  if (at(["measurements"]) === undefined || isKept) return tooShort;
  const message = `counts are kept in the store, and "measurements" is set without "store"`;
  const remedy = `set store.path or store.postgres, or remove "measurements"`;
  return [...tooShort, contradiction(["measurements"], message, remedy)];
}

function checkTimes(
  { at, texts, each }: CheckedFile,
  cronError: (expression: string) => string | undefined,
): UnplacedDiagnostic[] {
  const list = coerceList(at(["schedule", "cron"]));
  const crons = texts([
    ["schedule", "cron"],
    ...list.map((_, index) => ["schedule", "cron", index]),
    ...each("windows", "start"),
  ]);
  const timezones = texts([["schedule", "timezone"], ...each("windows", "timezone")]);
  return [
    ...crons.flatMap(([path, text]) => checkCron(path, text, cronError(text))),
    ...wrongValues(timezones, timezoneError, "write a name like Etc/UTC or Europe/Berlin"),
  ];
}

function checkCron(path: Path, text: string, error: string | undefined): UnplacedDiagnostic[] {
  if (error !== undefined) {
    const remedy =
      "write five fields as in */15 * * * *: minute, hour, day, month, day of the week";
    return [wrong(path, `"${text}" is not a cron expression: ${error}`, remedy)];
  }
  // Some schedulers take both fields as "on the 13th or on Fridays", others as "on Friday the
  // 13th".
  const fields = text.trim().split(/\s+/);
  if ([fields.at(-3), fields.at(-1)].some((field) => field === "*" || field === "?")) return [];
  const message = "both day fields are restricted, which schedulers interpret differently";
  const remedy =
    "set the day of the month or the day of the week to *; use two expressions if you need both";
  return [{ code: "BOTH_DAY_FIELDS", path, message, remedy }];
}

/** Only warnings can be changed: a file with an error is not used. */
function checkLint({ at }: CheckedFile): UnplacedDiagnostic[] {
  return Object.keys(coerceObject(at(["lint"]))).flatMap((code): UnplacedDiagnostic[] => {
    const path = ["lint", code];
    const facts = factsOfCode(code);
    if (facts === undefined) {
      const remedy =
        didYouMean(code, Object.keys(diagnosticCodes)) || "`zonewarden explain` lists the codes";
      return [{ ...wrong(path, `there is no code ${code}`, remedy), atKey: true }];
    }
    if (facts.severity === "warning") return [];
    const message = `${code} is an error, whose level cannot be changed`;
    return [{ ...wrong(path, message, "delete it here"), atKey: true }];
  });
}

function timezoneError(name: string): string | undefined {
  try {
    Intl.DateTimeFormat("en", { timeZone: name });
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return `"${name}" is not a time zone`;
    throw error;
  }
}

/** Two labels of zones must not be one label of metrics. */
function repeatedMetricLabels({ at, texts }: CheckedFile): UnplacedDiagnostic[] {
  const list = ["metrics", "zone_labels"];
  const paths = coerceList(at(list)).map((_, index) => [...list, index]);
  return repeated(
    texts(paths),
    metricLabelOf,
    (key) => `another label is "${metricLabelOf(key)}" in metrics too`,
    "delete one of them",
  );
}

/** A name must be unique in its list. */
function repeatedNames(
  what: "credential" | "notification" | "window",
  { texts, each }: CheckedFile,
): UnplacedDiagnostic[] {
  return repeated(
    texts(each(`${what}s`, "name")),
    (name) => name,
    (name) => `another ${what} has the name "${name}"`,
    "give each its own name",
  );
}

function wrongValues<T>(
  values: Values<T>,
  errorOf: (value: T) => string | false | undefined,
  remedy: string,
): UnplacedDiagnostic[] {
  return values.flatMap(([path, value]) => {
    const message = errorOf(value);
    return message ? [wrong(path, message, remedy)] : [];
  });
}

function wrong(path: Path, message: string, remedy: string): UnplacedDiagnostic {
  return { code: "WRONG_VALUE", path, message, remedy };
}
