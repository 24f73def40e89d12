import { acceptedDirectives } from "../../syntax/csp/csp-directives.ts";
import type { FieldReader } from "../http/fields.ts";

const directives = new Set(acceptedDirectives);

/** Refuses the value of a policy that the service refuses: unknown directives, nonces, several lines. */
export function checkPolicyValue(fields: FieldReader, action: string, value: string): void {
  const parts = value.split(";").filter((part) => part.trim() !== "");
  if (parts.length === 0 && action !== "add_reporting_directives") {
    throw fields.mistake("value", "a policy needs at least one directive");
  }
  for (const part of parts) checkDirective(fields, part);
}

function checkDirective(fields: FieldReader, part: string): void {
  const text = part.trim();
  // The service does not fold lines: what follows a line break is read as a directive (SERVICE.md A.6).
  const [, second] = /[\r\n]\s*(\S+)/.exec(text) ?? [];
  if (second !== undefined) throw fields.mistake("value", `unknown directive: ${second}`);

  const [name = "", ...sources] = text.split(/[ \t]+/);
  const directive = name.toLowerCase();
  if (!directives.has(directive)) throw fields.mistake("value", `unknown directive: ${name}`);
  if (directive === "upgrade-insecure-requests" && sources.length > 0) {
    throw fields.mistake("value", `directive ${directive} takes no value`);
  }
  const nonce = sources.find((source) => source.toLowerCase().startsWith("'nonce-"));
  if (nonce !== undefined) throw fields.mistake("value", "nonces are not supported");
}
