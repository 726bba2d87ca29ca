import { parseJson } from '#runtime/parse-json.ts';
import { kindOf, type Timestamp } from '#store/port/records.ts';
import type { Change } from '#store/port/store.ts';

/** What `NOTIFY` carries, as JSON: far less than the 8,000 bytes that PostgreSQL accepts. */
export interface ChangeNotification {
  /** The number of the transaction among those that change something. */
  readonly revision: number;
  readonly at: Timestamp;
  readonly change: Change;
}

export function encodeNotification({
  revision,
  at,
  change: { action, id, ancestors },
}: ChangeNotification): string {
  return JSON.stringify([revision, at, action, id, ...ancestors]);
}

const ACTIONS: readonly unknown[] = ['add', 'hide', 'unhide', 'erase'] satisfies Change['action'][];

/** @returns undefined for any other payload: every user of the database can notify on the channel */
export function decodeNotification(payload: string): ChangeNotification | undefined {
  const fields = parseJson(payload);
  if (!Array.isArray(fields)) return undefined;
  const [revision, at, action, ...ids] = fields as unknown[];
  if (!Number.isSafeInteger(revision) || !ACTIONS.includes(action) || ids.length === 0) return undefined;
  if (![at, ...ids].every((field) => typeof field === 'string')) return undefined;
  const [id, ...ancestors] = ids as [string, ...string[]];
  return {
    revision: revision as number,
    at: at as Timestamp,
    change: { action: action as Change['action'], kind: kindOf(id), id, ancestors },
  };
}
