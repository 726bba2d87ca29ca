const BACKTICKS = /`+/g;
const MIN_BACKTICKS = 3;

/** @returns the text of a stranger in a fence of Markdown that no line of it can close */
export function fenceOf(text: string): string {
  const longest = Math.max(0, ...Array.from(text.matchAll(BACKTICKS), ([run]) => run.length));
  const fence = '`'.repeat(Math.max(MIN_BACKTICKS, longest + 1));
  return `${fence}text\n${text}\n${fence}`;
}

/** A text with the name of its author above it, which is a stranger's text too. */
export function signedFenceOf(name: string | null, text: string): string {
  return fenceOf(`from: ${name ?? '(no name)'}\n\n${text}`);
}
