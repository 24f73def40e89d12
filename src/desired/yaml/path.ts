/** Steps from a document to one of its values: keys of maps and indexes of lists. */
export type Path = readonly (string | number)[];

/** A path in words: `zones[0].page_shield.policies`. */
export function pathText(path: Path): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else if (/^[\w$-]+$/.test(step)) text += text === "" ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}
