import { html, type Html } from "../../render/html.ts";
import { conditionsText } from "../../render/step-event-text.ts";
import { rateText, stepWaitText } from "../../render/step-text.ts";
import {
  type ObjectSteps,
  type StepStateName,
  stepStateOf,
  stepStates,
  type ZoneStepsStatus,
} from "../../state/steps-status.ts";
import { andMore, bar, barPart, barWidth, foreign, moment, section } from "./page-parts.ts";

/** Objects that are shown; those that need a person come first. */
const mostShown = 40;

/** The class of each state, for its colour. */
const kinds: Readonly<Record<StepStateName, string>> = {
  set_back: "drifted",
  stuck: "held",
  watched: "suspended",
  unknown: "unknown",
  stopped: "held",
  waiting: "pending",
  done: "in_sync",
};

/** States in which measurements decide what comes next. */
const decided: ReadonlySet<StepStateName> = new Set(["stuck", "watched", "unknown", "waiting"]);

/** Where the policies and rules of a zone stand on their steps. */
export function renderSteps(steps: ZoneStepsStatus | undefined, now: Date): Html | undefined {
  if (steps === undefined || steps.objects.length === 0) return undefined;
  const shown = steps.objects
    .map((each) => ({ ...each, state: stepStateOf(each) }))
    .toSorted((a, b) => stepStates.indexOf(a.state) - stepStates.indexOf(b.state));
  return section(
    "steps",
    "Steps",
    html`<div class="card counts">
      ${
        steps.pausedBy !== undefined &&
        html`<p><b class="error">paused</b> by ${foreign(steps.pausedBy)}: nothing is promoted</p>`
      }
      <ul class="plain">
        ${shown.slice(0, mostShown).map((each) => html`<li>${item(each, now)}</li>`)}
      </ul>
      ${andMore(shown.length - mostShown, "object")}
    </div>`,
  );
}

function item(
  {
    key,
    promotion,
    step: inForce,
    since,
    wait,
    counted,
    state,
  }: ObjectSteps & { state: StepStateName },
  now: Date,
): Html {
  const { field } = promotion;
  return html`<div>
      <p>
        <code>${foreign(key)}</code>
        <span class="status ${kinds[state]}">${state.replace("_", " ")}</span>
        ${field !== "action" && html`<span class="note">${field}</span>`}
      </p>
      <ol class="ladder">
        ${promotion.steps.map((step) => html`<li ${step === inForce && html`aria-current="step"`}>${step}</li>`)}
      </ol>
    </div>
    <div>
      ${gathered(key, wait)}
      <p>
        ${foreign(why(inForce, wait))}
        ${since !== undefined && html`<span class="note">at this step since ${moment(since, now)}</span>`}
        ${counted !== undefined && html`<span class="note">counted: ${rateText(counted)}</span>`}
        ${decided.has(state) && html`<span class="note">${conditionsText(promotion, inForce)}</span>`}
      </p>
    </div>`;
}

function why(step: ObjectSteps["step"], wait: ObjectSteps["wait"]): string {
  if (step === undefined) return "the step is not known: what is live stays";
  return wait === undefined ? "nothing is decided yet" : stepWaitText(wait);
}

/** How much of its time has passed, as a bar. */
function gathered(key: string, wait: ObjectSteps["wait"]): Html | undefined {
  if (wait?.reason !== "measuring" && wait?.reason !== "watched") return undefined;
  const part = wait.ofMs === 0 ? 1 : Math.min(1, wait.ms / wait.ofMs);
  const label = `${key}: ${Math.floor(part * 100)} % of the time at this step`;
  const place = { x: 0, width: part * barWidth, height: 8 };
  return bar(
    "share",
    label,
    barPart(kinds[wait.reason === "watched" ? "watched" : "waiting"], place),
    8,
  );
}
