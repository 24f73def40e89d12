import {
  databaseEvents,
  type Disturbance,
  disturbances,
  phaseEdits,
  refusals,
  requestFaults,
  rulesetEdits,
} from "./disturbances.ts";
import type { Schedule } from "./schedule.ts";
import type { StoryName } from "./stories.ts";

/** So many requests has the first run of the shop, with the listing before it. */
export const requestsOfFirstRun = 13;

/** So many has the first run of the zones with rules of all phases. */
export const requestsOfRules = 27;

/** So many has the first run of the zones with custom rulesets. */
export const requestsOfTeams = 31;

const requests = Array.from({ length: requestsOfFirstRun }, (_, index) => index + 1);

function namesIn(of: object): readonly Disturbance[] {
  return Object.keys(of).filter((name): name is Disturbance => name in disturbances);
}

/** Each disturbance at each request of a run, with both stores; and those of phases and of rulesets at each of their own first run. */
export function singles(): readonly Schedule[] {
  const ofPhases = namesIn({ ...requestFaults, ...phaseEdits, ...refusals });
  const ofRulesets = namesIn({ ...requestFaults, ...rulesetEdits });
  return [
    ...(["directory", "database"] as const).flatMap((store) =>
      requests.flatMap((at) =>
        namesIn(disturbances)
          .filter((does) => !(does in { ...phaseEdits, ...rulesetEdits, ...refusals }))
          .filter((does) => store === "database" || !(does in databaseEvents))
          .map((does) => ({ story: "shop", store, steps: [{ at, does }] }) as const),
      ),
    ),
    ...singlesOf("rules", requestsOfRules, ofPhases),
    ...singlesOf("teams", requestsOfTeams, ofRulesets),
  ];
}

function singlesOf(
  story: StoryName,
  count: number,
  names: readonly Disturbance[],
): readonly Schedule[] {
  return Array.from({ length: count }, (_, index) => index + 1).flatMap((at) =>
    names.map((does): Schedule => ({ story, store: "directory", steps: [{ at, does }] })),
  );
}

/** Each pair of request faults at each pair of requests of a run. */
export function pairs(): readonly Schedule[] {
  const faults = namesIn(requestFaults);
  return requests.flatMap((first) =>
    requests
      .filter((second) => second > first)
      .flatMap((second) =>
        faults.flatMap((a) =>
          faults.map((b): Schedule => {
            const steps = [
              { at: first, does: a },
              { at: second, does: b },
            ];
            return { story: "shop", store: "directory", steps };
          }),
        ),
      ),
  );
}

/** Some of the pairs: each two faults come at eleven pairs of requests, and each two requests with seventy pairs of faults. */
export function somePairs(): readonly Schedule[] {
  return pairs().filter((_, index) => index % 7 === 0);
}
