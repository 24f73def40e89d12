import type { Kind } from "../zone/resource.ts";
import type { Hold } from "./guard/hold.ts";
import type { Step } from "./step.ts";

/** A live object that is not declared and not ours. It stays. */
export interface Unmanaged {
  readonly kind: Kind;
  readonly id: string;
  /** Its description, or what else tells it apart. */
  readonly title: string;
}

/** What planning one kind gives. */
export interface KindPlan {
  readonly steps: readonly Step[];
  readonly unmanaged: readonly Unmanaged[];
  readonly notes: readonly string[];
  readonly holds: readonly Hold[];
  readonly compared: number;
  /** Whether something live bears our mark. */
  readonly marked: boolean;
}
