/** Tells what was not told just before: files are read every half minute, and stay broken for hours. */
export function changedOnly(): (news: unknown) => boolean {
  let last = "";
  return (news) => {
    const text = JSON.stringify(news);
    const isNew = text !== last;
    last = text;
    return isNew;
  };
}
