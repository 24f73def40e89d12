import { hourMs } from "../syntax/time-units.ts";
import { declaredLists, type DesiredZone, keysOf } from "../zone/desired-zone.ts";
import { type ResourceKey, rulesetIn } from "../zone/resource.ts";
import type { Zone } from "../zone/zone.ts";
import type { CountedObjects } from "./counted-objects.ts";
import type { HoursRead } from "./day-record.ts";
import type { ReadLimits } from "./hours.ts";
import type { ZoneLimits } from "./measure-answer.ts";
import { type CountSource, sourcesOf } from "./measure-query.ts";
import type { MeasuredDataset, RefusedReason } from "./measurement.ts";
import type { LimitsRead } from "./read-counts.ts";

/** How long limits of plans and refusals are remembered. */
const rememberedMs = 24 * hourMs;

type Refused = Extract<HoursRead, { readonly result: "refused" }>;

/** Where a dataset of a zone is read; or that it is not, since the service refuses it. */
export type DatasetSource =
  | { readonly result: "source"; readonly source: CountSource; readonly limits: ReadLimits }
  | Refused;

/** A declared zone, and what is known of how it can be measured. Times are those of the monotonic clock. */
export class CountedZone {
  desired: DesiredZone;
  /** `undefined` before its first run. */
  objects: CountedObjects | undefined;
  /** Whether the records of earlier processes were read for `objects`. */
  isLearnt = false;
  #limits: { readonly value: ZoneLimits; readonly at: number } | undefined;
  /** The sources that the service refused, although the plan has them. */
  readonly #refused = new Map<
    CountSource,
    { readonly reason: RefusedReason; readonly at: number }
  >();
  #denied = { why: "", at: Number.NEGATIVE_INFINITY };

  constructor(desired: DesiredZone) {
    this.desired = desired;
  }

  get zone(): Zone {
    return this.desired.zone;
  }

  /** What is counted of it: nothing if it declares neither policies nor rules. */
  get datasets(): readonly MeasuredDataset[] {
    const { policies, rules, customRulesets } = this.desired.content;
    const events = Object.keys(rules).length > 0 || customRulesets !== undefined;
    const counted: readonly MeasuredDataset[] = [
      ...(events ? (["events"] as const) : []),
      ...(policies === undefined ? [] : (["violations"] as const)),
    ];
    return counted.length === 0 ? [] : ["requests", ...counted];
  }

  /** Its policies and rules that are live and enabled. */
  get enabledKeys(): readonly ResourceKey[] {
    const { content } = this.desired;
    const off = new Set<ResourceKey>(
      [
        ...(content.policies?.items ?? []).map((policy) => {
          return { enabled: policy.enabled, key: keysOf("policy", policy).key };
        }),
        ...declaredLists(content)
          .flatMap(({ rules }) => rules)
          .map(({ key, rule: { enabled } }) => ({ enabled, key })),
      ].flatMap(({ enabled, key }) => (enabled ? [] : [key])),
    );
    const live = this.objects?.live ?? [];
    return live.filter(
      (key) => !off.has(key) && !off.has(`custom_ruleset/${rulesetIn(key) ?? ""}`),
    );
  }

  /** How far back the plan lets one read what is counted of the zone; 0 if that is not known. */
  get notOlderThanMs(): number {
    const limits = this.datasets.flatMap((dataset) =>
      sourcesOf[dataset].flatMap((source) => this.#limits?.value[source] ?? []),
    );
    return Math.max(0, ...limits.map(({ notOlderThanMs }) => notOlderThanMs));
  }

  /** Why the token may not measure it; "" if it may. */
  get denied(): string {
    return this.#denied.why;
  }

  isDenied(now: number): boolean {
    return now - this.#denied.at < rememberedMs;
  }

  isLimitsReadDue(now: number): boolean {
    const isKnown = this.#limits !== undefined && now - this.#limits.at < rememberedMs;
    return this.datasets.length > 0 && !isKnown && !this.isDenied(now);
  }

  /** Whether it can be measured now, or has nothing that is counted. */
  isReadable(now: number): boolean {
    return !this.isDenied(now) && !this.isLimitsReadDue(now);
  }

  noteLimits(read: LimitsRead, now: number): void {
    if (read.result === "read") this.#limits = { value: read.value, at: now };
    else if (read.result === "refused") this.noteDenied(read.why, now);
  }

  noteDenied(why: string, now: number): void {
    this.#denied = { why, at: now };
  }

  /** A token that may not read one source may read none. */
  noteRefused(source: CountSource, { reason }: Refused, now: number): void {
    if (reason === "denied") this.noteDenied(`${source} is not authorized`, now);
    this.#refused.set(source, { reason, at: now });
  }

  /** Where a dataset is read; `undefined`: not known yet. */
  sourceOf(dataset: MeasuredDataset, now: number): DatasetSource | undefined {
    if (this.isDenied(now)) return { result: "refused", reason: "denied" };
    if (this.#limits === undefined) return undefined;
    let reason: RefusedReason = "unavailable";
    for (const source of sourcesOf[dataset]) {
      const limits = this.#limits.value[source];
      if (limits === undefined) continue;
      const refused = this.#refused.get(source);
      if (refused === undefined || now - refused.at >= rememberedMs) {
        return { result: "source", source, limits };
      }
      ({ reason } = refused);
    }
    return { result: "refused", reason };
  }
}
