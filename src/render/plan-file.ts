import { type KeyObject, sign, verify } from "node:crypto";

import type { Plan } from "../plan/plan.ts";
import type { SavedPlan } from "../plan/saved/saved-plan.ts";
import { sha256 } from "../syntax/digest.ts";
import {
  canonicalJson,
  isDeeperThan,
  isJsonObject,
  type JsonObject,
  maxJsonLevels,
  parseJson,
  coerceDate,
  coerceList,
  coerceObject,
  coerceText,
} from "../syntax/json.ts";
import { planJson } from "./plan-json.ts";
import { planOf } from "./read-plan-file.ts";

/** Format of a saved plan; see `schemas/plan.schema.json`. */
export const planFileFormat = "zonewarden-plan/2";

/** Saved plans, and where they are valid. */
export interface PlanFile {
  readonly owner: string;
  /** Address of the service that was planned against. */
  readonly service: string;
  /** Revision of the files that were planned. */
  readonly revision: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly zones: readonly SavedPlan[];
}

/** A saved plan, or why it cannot be read. */
export type ReadPlan =
  | ({ readonly result: "read"; readonly file: PlanFile } & SignedText)
  | { readonly result: "error"; readonly error: PlanFileError };

/** What a signature covers, and the signature of the file, if it has one. */
export interface SignedText {
  /** The canonical JSON of the whole file without its signature. */
  readonly signedText: string;
  readonly signature: string | undefined;
}

/**
 * A saved plan as text: canonical JSON in one line, with a hash of its content. The hash detects truncation and edits;
 * it is not a signature.
 *
 * @param signingKey signs the file, where it is given.
 */
export function planFileText(file: PlanFile, signingKey?: KeyObject): string {
  const content = contentOf(file);
  const whole = { ...content, hash: hashOf(content) };
  if (signingKey === undefined) return `${canonicalJson(whole)}\n`;
  const signature = sign(null, signedBytes(canonicalJson(whole)), signingKey).toString("base64");
  return `${canonicalJson({ ...whole, signature })}\n`;
}

/** Signatures of plans are of no use for anything else that is signed with the same key. */
function signedBytes(signedText: string): Buffer {
  return Buffer.from(`zonewarden plan signature, version 1\n${signedText}`);
}

export function readPlanFile(text: string): ReadPlan {
  const json = parseJson(text);
  if (!isJsonObject(json) || isDeeperThan(2 * maxJsonLevels, json)) {
    return rejected("PLAN_NOT_JSON", "not a whole JSON object, as if it were cut off");
  }
  const { signature, ...whole } = json;
  const { hash, ...content } = whole;
  if (content["format"] !== planFileFormat) return rejected("PLAN_FORMAT", formatText(content));
  if (hash !== hashOf(content)) {
    return rejected("PLAN_TAMPERED", "the content does not fit its hash");
  }
  const file = fileOf(content);
  if (file === undefined) return rejected("PLAN_MALFORMED", "a date or a zone is none");
  // Reading coerces any JSON to a plan; it is valid if writing it again gives the same JSON.
  if (canonicalJson(contentOf(file)) !== canonicalJson(content)) {
    return rejected("PLAN_MALFORMED", "plan --out writes no such file");
  }
  // Each plan of a zone would create the same objects.
  if (new Set(file.zones.map(({ zone }) => zone.id)).size < file.zones.length) {
    return rejected("PLAN_MALFORMED", "it has more than one plan of a zone");
  }
  if (signature !== undefined && typeof signature !== "string") {
    return rejected("PLAN_MALFORMED", "its signature is no text");
  }
  return { result: "read", file, signedText: canonicalJson(whole), signature };
}

/** Why a saved plan is not the one that somebody signed; `undefined` if it is. */
export function signatureError(
  { signedText, signature }: SignedText,
  key: KeyObject,
): PlanFileError | undefined {
  if (signature === undefined) {
    return planFileError("PLAN_NOT_SIGNED", "not signed, and a key to verify it is configured");
  }
  return verify(null, signedBytes(signedText), key, Buffer.from(signature, "base64"))
    ? undefined
    : planFileError("PLAN_WRONG_SIGNATURE", "its signature is not of this content and this key");
}

/** Why a saved plan cannot be applied here and now. */
export function planFileErrors(
  file: PlanFile,
  here: { readonly owner: string; readonly service: string; readonly now: Date },
): readonly PlanFileError[] {
  const { owner, service } = file;
  const end = file.expiresAt.toISOString();
  const errors = [
    owner !== here.owner &&
      planFileError("PLAN_OTHER_OWNER", `made for the owner ${owner}, this one is ${here.owner}`),
    service !== here.service &&
      planFileError("PLAN_OTHER_SERVICE", `made for ${service}, this service is ${here.service}`),
    file.expiresAt <= here.now && planFileError("PLAN_EXPIRED", `it expired at ${end}`),
  ];
  return errors.filter((each) => each !== false);
}

function rejected(code: PlanFileError["code"], message: string): ReadPlan {
  return { result: "error", error: planFileError(code, message) };
}

function formatText({ format }: JsonObject): string {
  return typeof format === "string" && format.startsWith("zonewarden-")
    ? `its format is ${JSON.stringify(format)}, and this program reads ${planFileFormat}`
    : "not a plan that was saved with plan --out";
}

function hashOf(content: JsonObject): string {
  return sha256(canonicalJson(content));
}

function contentOf(file: PlanFile): JsonObject {
  const { owner, service, revision, createdAt, expiresAt, zones } = file;
  return {
    format: planFileFormat,
    owner,
    service,
    revision,
    created_at: createdAt.toISOString(),
    expires_at: expiresAt.toISOString(),
    zones: zones.map(({ fingerprints, ...plan }) => ({
      plan: planJson(withoutRemarks(plan)),
      fingerprints,
    })),
  };
}

/** A plan without people and counts: a saved plan is handed on, and they change nothing in what it applies. */
function withoutRemarks(plan: Plan): Plan {
  const changes = plan.changes.map(
    ({ authors: _authors, measured: _measured, ...change }) => change,
  );
  return { ...plan, changes };
}

function fileOf(content: JsonObject): PlanFile | undefined {
  const createdAt = coerceDate(content["created_at"]);
  const expiresAt = coerceDate(content["expires_at"]);
  const zones = coerceList(content["zones"]).map((each) => savedOf(coerceObject(each)));
  const saved = zones.filter((each) => each !== undefined);
  if (createdAt === undefined || expiresAt === undefined || saved.length < zones.length) {
    return undefined;
  }
  return {
    owner: coerceText(content["owner"]),
    service: coerceText(content["service"]),
    revision: coerceText(content["revision"]),
    createdAt,
    expiresAt,
    zones: saved,
  };
}

function savedOf({ plan: json, fingerprints }: JsonObject): SavedPlan | undefined {
  const plan = planOf(json);
  const prints = Object.entries(coerceObject(fingerprints));
  return (
    plan && {
      ...plan,
      fingerprints: Object.fromEntries(prints.map(([name, print]) => [name, coerceText(print)])),
    }
  );
}

/** Why a saved plan cannot be applied. */
export interface PlanFileError {
  /** Stable. */
  readonly code:
    | "PLAN_NOT_JSON"
    | "PLAN_FORMAT"
    | "PLAN_TAMPERED"
    | "PLAN_MALFORMED"
    | "PLAN_NOT_SIGNED"
    | "PLAN_WRONG_SIGNATURE"
    | "PLAN_EXPIRED"
    | "PLAN_OTHER_OWNER"
    | "PLAN_OTHER_SERVICE";
  readonly message: string;
}

function planFileError(code: PlanFileError["code"], message: string): PlanFileError {
  return { code, message: `plan file: ${message}: make a new plan` };
}
