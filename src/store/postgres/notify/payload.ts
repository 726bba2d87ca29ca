import { kindOf, type Timestamp } from '#store/records.ts';
import type { Change } from '#store/store.ts';

/** What travels over the channel: far less than the 8000 bytes that PostgreSQL lets through. */
export interface Notice {
  /** The number of the transaction; those that tell nothing have none. */
  readonly revision: number;
  readonly at: Timestamp;
  readonly change: Change;
}

export function lineOf({ revision, at, change: { action, id, ancestors } }: Notice): string {
  return JSON.stringify([revision, at, action, id, ...ancestors]);
}

const ACTIONS: readonly unknown[] = ['add', 'hide', 'unhide', 'erase'] satisfies Change['action'][];

/** @returns undefined where somebody else, or another version, said something on the channel: whoever may log in can. */
export function noticeOf(line: string): Notice | undefined {
  const said = parse(line);
  if (!Array.isArray(said)) return undefined;
  const [revision, at, action, ...ids] = said as unknown[];
  if (!Number.isSafeInteger(revision) || !ACTIONS.includes(action) || ids.length === 0) return undefined;
  if (![at, ...ids].every((one) => typeof one === 'string')) return undefined;
  const [id, ...ancestors] = ids as [string, ...string[]];
  return {
    revision: revision as number,
    at: at as Timestamp,
    change: { action: action as Change['action'], kind: kindOf(id), id, ancestors },
  };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
