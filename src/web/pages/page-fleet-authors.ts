import { type Author, authorName, authorsIn } from "../../plan/cause/author.ts";
import { html, type Html } from "../../render/html.ts";
import type { ZoneState } from "../../state/zone-state.ts";
import { byText } from "../../syntax/by-text.ts";
import { counted, foreign, moment, number, panel } from "./page-parts.ts";

/** Authors that are listed; of more, their number is given. */
const authorsShown = 12;

/** Somebody who made drift, by the latest changes of the zones and by what differs now. */
interface ZoneChanger {
  readonly name: string;
  readonly zones: ReadonlySet<string>;
  readonly last: Date;
  /** Whether it is only possible everywhere. */
  readonly isPossible: boolean;
}

/** The list of those who change zones by hand; nothing if nobody is known. */
export function renderAuthorPanel(zones: readonly ZoneState[], now: Date): Html | undefined {
  const changers = changersOf(zones);
  if (changers.length === 0) return undefined;
  const more = changers.length - authorsShown;
  return panel(
    "authors",
    "Who changes zones by hand",
    html`<ul class="recent">
        ${changers.slice(0, authorsShown).map((changer) => changerItem(changer, now))}
      </ul>
      ${more > 0 && html`<p class="quiet">and ${number(more)} more</p>`}`,
  );
}

function changerItem({ name, zones, last, isPossible }: ZoneChanger, now: Date): Html {
  const [only = ""] = zones;
  const where =
    zones.size === 1 ? html`<a href="/zones/${only}">${only}</a>` : counted(zones.size, "zone");
  return html`<li>
    ${foreign(name)} ${moment(last, now)}
    <span class="note">${where}${isPossible && ", possibly"}</span>
  </li>`;
}

/** Those who changed the most zones first. */
function changersOf(zones: readonly ZoneState[]): readonly ZoneChanger[] {
  const found = new Map<string, ZoneChanger>();
  for (const { declared, changes, differing } of zones) {
    const all = [...changes.flatMap((record) => record.changes), ...differing];
    for (const author of authorsIn(all)) {
      const name = authorName(author);
      found.set(name, withChange(found.get(name), declared.name, author));
    }
  }
  return [...found.values()]
    .toSorted(byText(({ name }) => name))
    .toSorted((a, b) => b.zones.size - a.zones.size || Number(b.last) - Number(a.last));
}

function withChange(known: ZoneChanger | undefined, zone: string, author: Author): ZoneChanger {
  const { at, isCertain } = author;
  if (known === undefined) {
    return { name: authorName(author), zones: new Set([zone]), last: at, isPossible: !isCertain };
  }
  return {
    name: known.name,
    zones: known.zones.has(zone) ? known.zones : new Set([...known.zones, zone]),
    last: at > known.last ? at : known.last,
    isPossible: known.isPossible && !isCertain,
  };
}
