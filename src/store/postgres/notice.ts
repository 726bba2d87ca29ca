import { kindOf, type Stamp } from '#store/records.ts';
import type { Change } from '#store/store.ts';

/** What travels over the channel: far less than the 8000 bytes that PostgreSQL lets through. */
export interface Notice {
  /** The number of the transaction; those that tell nothing have none. */
  readonly revision: number;
  readonly at: Stamp;
  readonly change: Change;
}

export function lineOf({ revision, at, change: { action, id, above } }: Notice): string {
  return JSON.stringify([revision, at, action, id, ...above]);
}

export function noticeOf(line: string): Notice {
  const [revision, at, action, id, ...above] = JSON.parse(line) as [number, Stamp, Change['action'], string, ...string[]];
  return { revision, at, change: { action, kind: kindOf(id), id, above } };
}
