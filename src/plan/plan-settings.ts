import { type Setting, type SettingName, settingNames } from "../zone/resource.ts";
import { type Effect, type Update, neutral, strengthens, weakens } from "./change.ts";
import { emptyPlan, type KindPlan, type PlannedWrite } from "./write-order.ts";

/** Plans the Page Shield settings: at most one write for all of them (SERVICE.md A.2). */
export function planSettings(
  declared: readonly Setting[],
  live: Readonly<Record<SettingName, boolean>>,
): KindPlan {
  const differing = settingNames.flatMap((name) =>
    declared.filter((setting) => setting.name === name && setting.value !== live[name]),
  );
  const plan = { ...emptyPlan, compared: declared.length };
  if (differing.length === 0) return plan;
  const write: PlannedWrite = {
    changes: differing.map(changeOf),
    write: {
      call: "update-settings",
      body: Object.fromEntries(differing.map(({ name, value }) => [name, value])),
      changes: differing.map(({ name }) => `setting/${name}` as const),
    },
    waitsFor: [],
  };
  return { ...plan, writes: [write] };
}

function changeOf({ name, value }: Setting): Update {
  return {
    verb: "update",
    kind: "setting",
    key: `setting/${name}`,
    title: "",
    id: name,
    adopted: false,
    fields: [{ field: "value", before: !value, after: value }],
    effect: effectOf(name, value),
    causes: [],
  };
}

/** Only `enabled` affects the protection; the other two control what is reported and where (SERVICE.md A.2). */
function effectOf(name: SettingName, value: boolean): Effect {
  if (name !== "enabled") return neutral;
  return value
    ? strengthens("scripts and connections are watched from now on", false)
    : weakens("scripts and connections are no longer watched");
}
