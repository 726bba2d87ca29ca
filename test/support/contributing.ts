import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** A place in a file: the lines that stand there, and those that replace them. */
interface Hunk {
  readonly before: string;
  readonly after: string;
}

/** @returns the hunks of each diff of a section of CONTRIBUTING, by file */
export function diffsOf(section: string): ReadonlyMap<string, readonly Hunk[]> {
  const document = readFileSync(join(ROOT, 'docs/CONTRIBUTING.md'), 'utf8');
  const [, rest = ''] = document.split(`\n## ${section}\n`);
  const [body = ''] = rest.split('\n## ');
  const diffs = body.matchAll(/^ {3}```diff\n {3}--- .*\n {3}\+\+\+ b\/(.*)\n([\s\S]*?)^ {3}```$/gm);
  return new Map(
    Array.from(diffs, ([, file = '', lines = '']) => {
      const hunks = lines.replaceAll(/^ {3}/gm, '').split(/^@@\n/m);
      return [file, hunks.filter((hunk) => hunk !== '').map(toHunk)] as const;
    }),
  );
}

function toHunk(diff: string): Hunk {
  const lines = diff.split(/(?<=\n)/);
  const withSign = (sign: string): string =>
    lines.flatMap((line) => (line.startsWith(sign) || line.startsWith(' ') ? line.slice(1) : [])).join('');
  return { before: withSign('-'), after: withSign('+') };
}

/** Applies the diffs of a section to a copy of the source. @throws Error if a hunk has no place, or two */
export function applyDiffs(section: string, folder: string): void {
  for (const [file, hunks] of diffsOf(section)) {
    const path = join(folder, file);
    let text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    for (const { before, after } of hunks) text = applyHunk(file, text, { before, after });
    writeFileSync(path, text);
  }
}

/** Adds lines without context at the end. */
function applyHunk(file: string, text: string, { before, after }: Hunk): string {
  if (before === '') return text === '' ? after : `${text}\n${after}`;
  const parts = `\n${text}`.split(`\n${before}`);
  if (parts.length !== 2)
    throw new Error(
      `${file} has ${parts.length - 1} places for lines of a diff in docs/CONTRIBUTING.md, which needs one:\n${before}`,
    );
  return parts.join(`\n${after}`).slice(1);
}
