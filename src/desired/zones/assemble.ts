import { type Json, isJsonObject, coerceObject } from "../../syntax/json.ts";
import type { Declared, Target, ZoneContent, ZoneDocument } from "../../zone/desired-zone.ts";
import type { DiagnosticCode } from "../../zone/diagnostic-codes.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import { type Policy, type Rule, type Setting, settingNames } from "../../zone/resource.ts";
import type { Converted, DeclarationDiagnostic } from "../complaint.ts";
import { isManagedRules, isPageShield } from "../json-schema.ts";
import type { ZoneLayer } from "../load/parse-zone-file.ts";
import { policiesOf } from "./declared-policies.ts";
import { managedRulesOf } from "./declared-rules.ts";
import { type Layer, keyPlace, originOf, problemAt, problemAtKey } from "./layer.ts";
import { Merger } from "./merge.ts";
import { isComplaint, suspensionOf, targetOf } from "./target.ts";
import type { PageShield } from "./zone-file.ts";

/** An entry of `zones:` with its profiles merged in; no document where something is wrong. */
export interface Assembled {
  /** `undefined` where the name is none. */
  readonly target: Target | undefined;
  readonly document: ZoneDocument | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

interface PageShieldContent {
  readonly settings: readonly Setting[];
  readonly policies: Declared<Policy> | undefined;
}

/**
 * Makes zone documents out of layers. What several zones have in common is merged and converted once: equal
 * parts of different zones are the same objects.
 */
export class Assembler {
  readonly #merger = new Merger();
  readonly #profilesOnly = new Map<string, Json>();
  readonly #shields = new Map<object, Converted<PageShieldContent>>();
  readonly #rules = new Map<object, Converted<Declared<Rule>>>();

  assemble(zone: ZoneLayer, layers: readonly Layer[]): Assembled {
    const target = targetOf(zone.content);
    const suspension = suspensionOf(zone.content);
    const { content, complaints } = this.#contentOf(zone, layers);
    const all = [target, suspension, ...complaints].filter(
      (part) => part !== undefined && isComplaint(part),
    );
    const diagnostics = all.map((complaint) => located(complaint, zone, layers));
    const failed = diagnostics.some(({ severity }) => severity === "error");
    if (failed || isComplaint(target) || (suspension !== undefined && isComplaint(suspension))) {
      return { target: isComplaint(target) ? undefined : target, document: undefined, diagnostics };
    }
    const place = keyPlace({ layer: zone, path: zone.path });
    return {
      target,
      document: { target, content: { ...content, suspension }, place },
      diagnostics,
    };
  }

  #contentOf(
    zone: ZoneLayer,
    layers: readonly Layer[],
  ): {
    readonly content: Omit<ZoneContent, "suspension">;
    readonly complaints: readonly DeclarationDiagnostic[];
  } {
    const merged = this.#merge(zone, layers);
    const shield = this.#shieldOf(merged["page_shield"]);
    const rules = this.#rulesOf(merged["managed_rules"]);
    return {
      content: {
        mode: merged["mode"] === "observe" ? "observe" : "enforce",
        settings: shield?.value?.settings ?? [],
        policies: shield?.value?.policies,
        rules: rules?.value,
      },
      complaints: [...(shield?.complaints ?? []), ...(rules?.complaints ?? [])],
    };
  }

  #merge(zone: ZoneLayer, layers: readonly Layer[]): Readonly<Record<string, Json>> {
    const profiles = layers.slice(0, -1);
    const label = profiles.map(({ profile }) => profile).join(" ");
    let below = this.#profilesOnly.get(label);
    if (below === undefined) {
      below = profiles.reduce<Json>((merged, { content }) => this.#over(merged, content), {});
      this.#profilesOnly.set(label, below);
    }
    const merged = this.#over(below, zone.content);
    return coerceObject(merged);
  }

  #over(below: Json, content: unknown): Json {
    return this.#merger.merge(below, coerceObject(content)) ?? {};
  }

  #shieldOf(merged: Json | undefined): Converted<PageShieldContent> | undefined {
    if (!isJsonObject(merged)) return undefined;
    return remembered(this.#shields, merged, pageShieldOf);
  }

  #rulesOf(merged: Json | undefined): Converted<Declared<Rule>> | undefined {
    if (!isJsonObject(merged)) return undefined;
    return remembered(this.#rules, merged, rulesOf);
  }
}

function pageShieldOf(merged: unknown): Converted<PageShieldContent> {
  if (!isPageShield(merged)) throw new Error("page_shield lost its shape when merged");
  const policies = policiesOf(merged.policies ?? {});
  const settings = settingsOf(merged.settings ?? {});
  return { value: { settings, policies: policies.value }, complaints: policies.complaints };
}

function rulesOf(merged: unknown): Converted<Declared<Rule>> {
  if (!isManagedRules(merged)) throw new Error("managed_rules lost their shape when merged");
  return managedRulesOf(merged);
}

function remembered<T>(memory: Map<object, T>, key: object, make: (key: object) => T): T {
  const known = memory.get(key);
  if (known !== undefined) return known;
  const made = make(key);
  memory.set(key, made);
  return made;
}

function settingsOf(settings: NonNullable<NonNullable<PageShield>["settings"]>): Setting[] {
  return settingNames.flatMap((name) => {
    const value = settings[name];
    return value === undefined || value === null ? [] : [{ name, value }];
  });
}

function located(
  { code, path, message, remedy }: DeclarationDiagnostic,
  zone: Layer,
  layers: readonly Layer[],
): Diagnostic {
  const tell = aboutKeys.has(code) ? problemAtKey : problemAt;
  return tell(originOf(zone, layers, path), code, { message, remedy });
}

/** Where a key should not be there at all, its value is not what is wrong. */
const aboutKeys: ReadonlySet<DiagnosticCode> = new Set<DiagnosticCode>([
  "NOT_OWASP",
  "CONTRADICTION",
]);
