/** What can happen to one request. */
export const requestFaults = {
  crash_before_send: "the process is killed before it sends the request, and starts again",
  crash_after_effect: "the process is killed after the effect of the request, and starts again",
  lost_request: "the connection breaks before the request arrives",
  lost_answer: "the connection breaks after the effect",
  late_answer: "the answer comes after the timeout",
  late_request: "the request takes effect after the timeout",
  slow: "the answer takes 25 s",
  cut: "the answer is cut off in the middle",
  malformed: "the answer is no JSON",
  refused_before: "a 200 with success: false, without an effect",
  refused_after: "a 200 with success: false, after the effect",
  duplicate: "the request is delivered a second time after 3 s",
  rate_limited: "429 without Retry-After",
  retry_after: "429 with Retry-After: 80",
  locked_out: "429 for this and all requests of the next 4 min",
  server_error_before: "503 without an effect",
  server_error_after: "502 after the effect",
  conflict: "409",
  bad_request: "400",
  forbidden: "403 for this request alone",
  stale: "a list shows the zone as it was 50 s ago",
  unreachable: "no connection",
} as const;

export type RequestFault = keyof typeof requestFaults;

/** What a person in the dashboard does with the zone of a request, just before the request arrives. */
export const policyEdits = {
  edit_policy: "somebody edits a policy of ours",
  delete_policy: "somebody deletes a policy of ours",
  create_policy: "somebody creates a policy",
  forge_mark: "somebody creates a policy that bears our mark",
  take_mark_off: "somebody takes our mark off a policy, and keeps the policy",
  duplicate_policy: "somebody duplicates a policy of ours",
  settings_off: "somebody switches Page Shield off",
} as const;

export type PolicyEdit = keyof typeof policyEdits;

/** The same with rules. */
export const ruleEdits = {
  add_rule: "somebody adds a rule",
  edit_rule: "somebody switches a rule of ours off",
  delete_rule: "somebody deletes a rule of ours",
  reorder_rules: "somebody reverses the order of the rules",
  replace_entry_point: "somebody replaces all rules by one rule of their own",
  move_managed: "somebody deploys a managed ruleset of ours in a rule of their own instead",
} as const;

export type RuleEdit = keyof typeof ruleEdits;

/** What another writer does in one of the three phases: in that of the request, if it is about rules. */
export const phaseEdits = {
  add_in_phase: "somebody adds a rule in a phase",
  add_first_in_phase: "somebody adds a rule before all others of a phase",
  edit_in_phase: "somebody edits a rule of their own in a phase",
  move_in_phase: "somebody moves their last rule of a phase to the front",
  delete_in_phase: "somebody deletes a rule of their own in a phase",
  edit_ours_in_phase: "somebody switches a rule of ours off in a phase",
  move_ours_in_phase: "somebody moves a rule of ours to the end of a phase",
  delete_ours_in_phase: "somebody deletes a rule of ours in a phase",
  copy_ours_in_phase: "somebody copies a rule of ours in a phase",
  reverse_phase: "somebody replaces the rules of a phase by the same in reverse order",
  delete_entry_point: "somebody deletes the entry point of a phase",
  recreate_entry_point: "somebody deletes the entry point of a phase, and creates another one",
} as const;

export type PhaseEdit = keyof typeof phaseEdits;

/** What another writer does with the custom rulesets of ours: with that of the request, if it is about one. */
export const rulesetEdits = {
  add_in_ruleset: "somebody adds a rule in a custom ruleset of ours",
  add_first_in_ruleset: "somebody adds a rule before all others of a custom ruleset of ours",
  edit_in_ruleset: "somebody edits a rule of their own in a custom ruleset of ours",
  delete_in_ruleset: "somebody deletes a rule of their own in a custom ruleset of ours",
  edit_ours_in_ruleset: "somebody switches a rule of ours off in a custom ruleset",
  move_ours_in_ruleset: "somebody moves a rule of ours to the end of a custom ruleset",
  delete_ours_in_ruleset: "somebody deletes a rule of ours in a custom ruleset",
  reverse_ruleset: "somebody replaces the rules of a custom ruleset by the same in reverse order",
  delete_ruleset: "somebody deletes a custom ruleset of ours, and the rule that executes it",
  take_ruleset_mark_off: "somebody takes our mark off a custom ruleset",
  forge_ruleset_mark: "somebody creates a custom ruleset that bears our mark, with a rule in it",
  move_deployment: "somebody moves the rule that executes a custom ruleset to the front",
  delete_deployment: "somebody deletes the rule that executes a custom ruleset",
  take_deployment: "somebody executes a custom ruleset of ours by a rule of their own instead",
} as const;

export type RulesetEdit = keyof typeof rulesetEdits;

/** What the service refuses from then on. */
export const refusals = {
  no_room_for_rule: "the service refuses one custom rule with 50001",
  rule_not_accepted: "the service refuses one rate limit with 20155",
} as const;

export type RefusalEvent = keyof typeof refusals;

/** A rule that the service takes no write of, and the code that it gives. */
export interface Refusal {
  readonly key: string;
  readonly code: number;
}

export const refused: Readonly<Record<RefusalEvent, Refusal>> = {
  no_room_for_rule: { key: "admin", code: 50_001 },
  rule_not_accepted: { key: "downloads", code: 20_155 },
};

export type Edit = PolicyEdit | RuleEdit | PhaseEdit | RulesetEdit;

/** What happens to the zone files, just before a request arrives. */
export const fileEvents = {
  files_edited: "the files change the shop",
  files_other: "the files change the blog",
  files_first: "the files are as they were at first",
  files_dropped: "the files drop the brand",
  files_suspended: "the files suspend the shop",
  files_mass: "the files take the protection of all zones away: the fleet guard holds that",
  files_broken: "the file of the shop is broken",
  files_empty: "all files are gone",
} as const;

export type FileEvent = keyof typeof fileEvents;

/** What happens to the configuration, the token and the clock. */
export const settingEvents = {
  token_revoked: "the token is revoked",
  token_restored: "the token works again",
  clock_forward: "the clock on the wall jumps 2 h forward",
  clock_back: "the clock on the wall jumps 2 h back",
  observe: "the mode becomes observe",
  enforce: "the mode becomes enforce",
  freeze: "a freeze of 20 min begins",
  sweep: "somebody requests a sweep",
} as const;

export type SettingEvent = keyof typeof settingEvents;

/** What happens to the processes. */
export const processEvents = {
  stop: "SIGTERM, and a new start",
  kill_lost: "the process is killed and its state is lost",
  kill_torn:
    "the process is killed and the last line of its state and history is torn; of a database, the last batch is lost",
  second_start: "a second process starts with a state of its own",
  second_stop: "the second process stops",
  plan_command: "somebody runs a plan",
  same_state:
    "a second process starts with the same state: a directory refuses it, with a database it waits for the Lease",
} as const;

export type ProcessEvent = keyof typeof processEvents;

/** What happens to the database, if the processes keep their store in one. */
export const databaseEvents = {
  batch_lost: "the next batch is not stored, and is not answered",
  batch_unconfirmed: "the next batch is stored, and its answer is lost",
  database_restarts: "the database does not answer for 5 s",
  database_down: "the database does not answer for 90 s",
  database_restored: "the database is restored to what it was three batches ago",
  lease_removed: "somebody removes the Lease",
  lease_replaced: "somebody writes another holder into the Lease",
} as const;

export type DatabaseEvent = keyof typeof databaseEvents;

/** What a person asks of a rollout. */
export const rolloutEvents = {
  rollout_pause: "somebody pauses the rollout",
  rollout_resume: "somebody resumes the rollout",
  rollout_promote: "somebody promotes the next wave",
  rollout_abort: "somebody aborts the rollout of another revision than the first",
} as const;

export type RolloutEvent = keyof typeof rolloutEvents;

export type Disturbance =
  | RequestFault
  | PolicyEdit
  | RuleEdit
  | PhaseEdit
  | RulesetEdit
  | RefusalEvent
  | FileEvent
  | SettingEvent
  | ProcessEvent
  | DatabaseEvent
  | RolloutEvent;

/** All disturbances, with a sentence for each. */
export const disturbances: Readonly<Record<Disturbance, string>> = {
  ...requestFaults,
  ...policyEdits,
  ...ruleEdits,
  ...phaseEdits,
  ...rulesetEdits,
  ...refusals,
  ...fileEvents,
  ...settingEvents,
  ...processEvents,
  ...databaseEvents,
  ...rolloutEvents,
};

export function isRequestFault(name: Disturbance): name is RequestFault {
  return name in requestFaults;
}

export function isEdit(name: Disturbance): name is Edit {
  return name in policyEdits || isRuleEdit(name) || isPhaseEdit(name) || isRulesetEdit(name);
}

export function isRulesetEdit(name: Disturbance): name is RulesetEdit {
  return name in rulesetEdits;
}

export function isPhaseEdit(name: Disturbance): name is PhaseEdit {
  return name in phaseEdits;
}

export function isRefusalEvent(name: Disturbance): name is RefusalEvent {
  return name in refusals;
}

export function isRuleEdit(name: Disturbance): name is RuleEdit {
  return name in ruleEdits;
}

export function isFileEvent(name: Disturbance): name is FileEvent {
  return name in fileEvents;
}

export function isProcessEvent(name: Disturbance): name is ProcessEvent {
  return name in processEvents;
}

export function isRolloutEvent(name: Disturbance): name is RolloutEvent {
  return name in rolloutEvents;
}

export function isDatabaseEvent(name: Disturbance): name is DatabaseEvent {
  return name in databaseEvents;
}
