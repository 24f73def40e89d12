import type { Period } from "../history/timeline.ts";
import { type Columns, html, type Html, htmlTable, type Part, textOfHtml } from "../render/html.ts";
import { dayMs } from "../syntax/time-units.ts";
import type { Control } from "./evidence-controls.ts";
import type { KeptHistory } from "./evidence-input.ts";
import { filesText } from "./evidence-stories.ts";
import { evidenceStyle } from "./evidence-style.ts";
import {
  type EvidenceTable,
  pagesOf,
  statusWords,
  tableOf,
  zoneTables,
} from "./evidence-tables.ts";
import type { Evidence, ZoneEvidence } from "./evidence.ts";

/** The pack as one page to read and print: no script, nothing from elsewhere. URLs are no links: they may be malicious. */
export function renderEvidencePage(evidence: Evidence): string {
  const { period, files, history, limits, zones } = evidence;
  const title = `Evidence for payment pages, ${daysText(period)}`;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta
          http-equiv="Content-Security-Policy"
          content="default-src 'none'; style-src 'unsafe-inline'"
        />
        <title>${title}</title>
        ${evidenceStyle}
      </head>
      <body>
        <header>
          <h1>${title}</h1>
          <p>
            What zonewarden recorded for the requirements 6.4.3 and 11.6.1 of PCI DSS 4.0.1. It
            shows only what the history and the zone files have; what was not recorded is named as
            missing. It is no statement that a requirement is met: that is the assessor's to say.
          </p>
          <dl>
            <dt>Zones</dt>
            <dd>${zones.map(({ zone }) => zone).join(", ")}</dd>
            <dt>Period</dt>
            <dd>${daysText(period)} (UTC, both days included)</dd>
            <dt>Zone files</dt>
            <dd>${filesText(files)}</dd>
            <dt>History</dt>
            <dd>${history.flaws.length === 0 ? "intact" : "not intact"}${headsOf(history)}</dd>
          </dl>
        </header>
        <main>
          ${limitList("The history does not show everything", limits)}
          ${zones.map((zone, index) => zoneSection(zone, `zone-${index + 1}`))}
          ${historySection(history)}
        </main>
      </body>
    </html> `;
  return textOfHtml(page);
}

function daysText({ since, until }: Period): string {
  return `${dayOf(Number(since))} to ${dayOf(Number(until) - dayMs)}`;
}

function dayOf(moment: number): string {
  return new Date(moment).toISOString().slice(0, 10);
}

function headsOf({ files }: KeptHistory): Html | undefined {
  const hash = files.findLast(({ head }) => head !== undefined)?.head?.hash;
  return hash === undefined ? undefined : html`, head <code>${hash}</code>`;
}

function limitList(title: string, limits: readonly string[]): Html | undefined {
  if (limits.length === 0) return undefined;
  return html`<div class="limits">
    <p><strong>${title}</strong></p>
    <ul>
      ${limits.map((limit) => html`<li>${limit}</li>`)}
    </ul>
  </div>`;
}

function zoneSection(zone: ZoneEvidence, id: string): Html {
  const pages = pagesOf(zone.atEnd.declared);
  return html`<section class="zone" aria-labelledby="${id}">
    <h2 id="${id}">${zone.zone}</h2>
    <p>
      Pages in scope:
      ${pages.length === 0 ? "none is declared" : pages.map((page, index) => html`${index > 0 && ", "}<code>${page}</code>`)}.
    </p>
    ${limitList("Missing in this evidence", zone.limits)}
    <h3>Requirements, and what was recorded</h3>
    ${htmlTable(controlColumns, zone.controls)}
    <h3>Days</h3>
    ${renderTable(dayRanges(zone))}
    ${zoneTables(zone).map(
      (table) =>
        html`<h3>${table.title}</h3>
          ${renderTable(table)}`,
    )}
  </section>`;
}

const controlColumns: Columns<Control> = {
  "PCI DSS 4.0.1": ({ requirement }) => requirement,
  "Requirement, in short": ({ text }) => text,
  Recorded: ({ shown }) =>
    html`<ul>
      ${shown.map((each) => html`<li>${each}</li>`)}
    </ul>`,
  "Not shown": ({ notShown }) => notShown,
};

/** Neighbouring days with the same status, as one row. */
function dayRanges(zone: ZoneEvidence): EvidenceTable {
  const ranges: { readonly from: string; to: string; readonly status: string; days: number }[] = [];
  for (const { day, status } of zone.days) {
    const last = ranges.at(-1);
    if (last?.status === status) {
      last.to = day;
      last.days += 1;
    } else ranges.push({ from: day, to: day, status, days: 1 });
  }
  return tableOf({}, ranges, {
    begin: ({ from }) => from,
    end: ({ to }) => to,
    days: ({ days }) => String(days),
    status: ({ status }) => `${statusWords(status)}${status === "checked" ? "" : " (gap)"}`,
  });
}

function renderTable({ columns, rows, empty }: EvidenceTable): Html {
  if (rows.length === 0) return html`<p>${empty}</p>`;
  const cells = columns.map((head, at) => {
    const cellOf = (row: readonly string[]): Part => {
      const text = row[at] ?? "";
      return longWord.test(text) ? html`<span class="long">${text}</span>` : text;
    };
    return [head, cellOf] as const;
  });
  return htmlTable(Object.fromEntries(cells), rows);
}

/** Words up to the length of a moment stay whole. */
const longWord = /[^\s-]{25}/;

function historySection({ files, flaws, remarks, damaged, isProved }: KeptHistory): Html {
  return html`<section aria-labelledby="history">
    <h2 id="history">History</h2>
    <p>
      ${
        flaws.length === 0
          ? "Intact: from the first line to the last, no line was changed, removed, inserted or moved."
          : "Not intact: see the findings below."
      }
      ${
        isProved
          ? "It was compared with a head or a key that is kept elsewhere."
          : "It was not compared with a head or a key that is kept elsewhere: this does not show whether lines at the end were removed, or the whole was written anew."
      }
      Lines that cannot be read: ${damaged}.
    </p>
    ${renderTable(
      tableOf({ empty: "None." }, files, {
        file: ({ file }) => file,
        lines: ({ lines }) => String(lines),
        "first line": ({ firstAt }) => firstAt?.toISOString() ?? "",
        "last line": ({ lastAt }) => lastAt?.toISOString() ?? "",
        "number and hash of the last line": ({ head }) =>
          head === undefined ? "" : `${head.n} ${head.hash}`,
        chain: ({ chains }) => chains.join(", "),
      }),
    )}
    ${noteTable("Findings of the check of the history", flaws)}
    ${noteTable("Remarks of the check of the history", remarks)}
  </section>`;
}

function noteTable(title: string, notes: KeptHistory["flaws"]): Html | undefined {
  if (notes.length === 0) return undefined;
  const table = tableOf({}, notes, {
    file: ({ file }) => file,
    line: ({ line }) => String(line),
    code: ({ code }) => code,
    message: ({ message }) => message,
  });
  return html`<h3>${title}</h3>
    ${renderTable(table)}`;
}
