/** Parses the demo's conversation (format: `data/demo/README.md`). Times are relative to its end. */

const MS = { d: 86_400_000, h: 3_600_000, m: 60_000 } as const;

/** Agents post at odd times, up to 25 minutes after the time in the heading. */
const MAX_LATE_S = 1500;
const STRIDE_S = 617;

/** One call. */
export interface Turn {
  readonly kind: 'post' | 'hide' | 'guest' | 'project' | 'note';
  readonly thread: string;
  /** The number of the message in its thread, from 1; for `hide`, of the message to hide. */
  readonly number: number;
  /** Milliseconds after the end of the conversation; negative before it. */
  readonly at: number;
  /** Empty for no name. */
  readonly name: string;
  /** The other cells of the heading. */
  readonly cells: readonly string[];
  /** With placeholders. */
  readonly text: string;
}

/**
 * @returns the turns of the threads in chronological order
 * @throws Error for a heading that cannot be read
 */
export function parseScript(threads: readonly string[]): Turn[] {
  return threads
    .join('\n')
    .split(/^# /m)
    .slice(1)
    .flatMap((thread) => {
      const [slug = '', ...turns] = thread.split(/^## /m);
      return turns.map((turn) => parseTurn(slug.trim(), turn));
    })
    .map((turn, index) => ({ ...turn, at: turn.at + ((index * STRIDE_S) % MAX_LATE_S) * 1000 }))
    .sort((one, other) => one.at - other.at);
}

function parseTurn(thread: string, turn: string): Turn {
  const [heading = '', ...lines] = turn
    .trim()
    .replaceAll(/\n {2}(?=\S)/g, ' ')
    .split('\n');
  const [first = '', ...cells] = heading.split('|').map((cell) => cell.trim());
  const [word = '', hidden] = first.split(' ');
  const text = lines.join('\n');
  if (word === 'hide') {
    const [time = '', ...reason] = cells;
    return { kind: word, thread, number: Number(hidden), at: parseTime(time), name: '', cells: reason, text };
  }
  const [name = '', time = '', ...others] = cells;
  const turnOf = { thread, at: parseTime(time), name, cells: others, text };
  if (word === 'guest' || word === 'project' || word === 'note') return { kind: word, number: 0, ...turnOf };
  return { kind: 'post', number: Number(word), ...turnOf };
}

/** @param text such as `-3d12h` or `+90m` @returns milliseconds */
export function parseTime(text: string): number {
  const parts = /^([+-])((?:\d+[dhm])+)$/.exec(text);
  if (parts === null) throw new Error(`The demo has a time that cannot be read: ${text}`);
  const [, sign, spans = ''] = parts;
  const sum = [...spans.matchAll(/(?<!\d)(\d+)([dhm])/g)].reduce(
    (total, [, count, unit]) => total + Number(count) * MS[unit as keyof typeof MS],
    0,
  );
  return sign === '-' ? -sum : sum;
}
