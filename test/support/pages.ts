import { textOfHtml } from "../../src/render/html.ts";
import type { Fleet } from "../../src/state/fleet.ts";
import { renderFleetPage } from "../../src/web/pages/page-fleet.ts";
import { renderZonePage } from "../../src/web/pages/page-zone.ts";
import { selectionFrom } from "../../src/web/pages/selection.ts";
import type { Snapshot } from "../../src/web/snapshot.ts";
import { answersOf, shop } from "./fleets.ts";
import { at, daemon } from "./reports.ts";
import { sceneHistory } from "./scenes.ts";

/** What pages of a fleet are made of, half an hour into the story. */
export function snapshotOf(fleet: Fleet): Snapshot {
  return {
    fleet,
    history: sceneHistory(),
    daemon: daemon(),
    now: at(30),
    canReconcile: false,
    stepsOf: () => undefined,
    answersOf,
  };
}

/** The fleet's page. */
export function fleetPage(fleet: Fleet, query: Readonly<Record<string, string>> = {}): string {
  return textOfHtml(renderFleetPage(snapshotOf(fleet), selectionFrom(query)));
}

/** A zone's page, the shop's unless another is named. */
export function zonePage(fleet: Fleet, name: string = shop): string {
  const state = fleet.zone(name);
  if (state === undefined) throw new Error(`${name} is not declared`);
  return textOfHtml(renderZonePage(snapshotOf(fleet), state));
}

/** What a reader reads: no markup, spaces as one. */
export function wordsOf(page: string): string {
  return page
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
}
