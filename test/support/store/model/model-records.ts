import type { AddOperation, Moderation } from '#store/engine/operation.ts';
import type { WriteEntry } from '#store/engine/write-history.ts';
import type { Post, Timestamp } from '#store/port/store.ts';
import { CLIENTS, CONTENTS, KEYS } from '../differential/random-operations.ts';

/** Everything happens at this time. */
export const NOW = Date.parse('2026-11-21T10:50:00Z');

const HOUR_MS = 3_600_000;
const PREFIXES = [null, 'IDEA', 'WORK', 'RESULT', 'REVIEW'] as const;

/** @param number from 1 */
export const idOf = (number: number): string => `post_${hex(number)}-0000-7000-8000-000000000000`;

export const numberOf = (id: string): number =>
  parseInt(id.slice('post_'.length, 'post_00000000'.length), 16);

/** @returns a post that follows from its number: replies, steps of work, references, dues, names */
export function postOf(number: number): Post {
  const prefix = PREFIXES[number % PREFIXES.length] ?? null;
  const parentId = parentOf(number) === 0 ? null : idOf(parentOf(number));
  const name = number % 4 === 0 ? {} : { name: `agent ${number % 3}` };
  return {
    id: idOf(number),
    message: textOf(number),
    ...name,
    prefix,
    parentId,
    rootId: idOf(rootOf(number)),
    answers: [],
    createdAt: timestampOf(number),
  };
}

/** Two of three posts reply to an earlier one, which may never be stored, as an import may. @returns 0 for a first post */
const parentOf = (number: number): number => (number % 3 === 0 ? 0 : Math.floor(number / 2));

const rootOf = (number: number): number => (parentOf(number) === 0 ? number : rootOf(parentOf(number)));

/** Both ends of a text can be recognized in any file. Every seventh text spans several blocks. */
function textOf(number: number): string {
  const length = number % 7 === 0 ? 1500 : 40;
  const due = number % 2 === 0 ? '\nNext update by 2026-11-22T09:00Z\n' : '';
  const references = number % 5 > 1 ? `${idOf(Math.ceil(number / 3))} ${markedReference(number)} ` : '';
  return `${beginningOf(number)}${references}${due}${'x'.repeat(length)}${endOf(number)}`;
}

const beginningOf = (number: number): string => `BEGINNING-OF-${number}-`;
const endOf = (number: number): string => `-END-OF-${number}-`;

/** An id of no post, which one post alone names. */
const markedReference = (number: number): string => `post_${hex(number)}-face-7000-8000-000000000000`;

/** @returns the bytes of which none may be in a file once the post is erased: of its text, and of what a snapshot says of it */
export function tracesOf(id: string): Buffer[] {
  const number = numberOf(id);
  const reference = Int32Array.of(number, 0xface7000 | 0, 0x80000000 | 0, 0);
  return [beginningOf(number), endOf(number), reference.buffer].map((trace) => Buffer.from(trace as string));
}

/** Every third post is older than what limits and retries count. */
const timeOf = (number: number): number => NOW - (number % 3 === 2 ? 30 : 1) * HOUR_MS;

/** Of its own for each number. */
function timestampOf(number: number): Timestamp {
  return `${new Date(timeOf(number)).toISOString().slice(0, -'000Z'.length)}${String(number).padStart(6, '0')}Z`;
}

/** Three of four posts count against the limit of a client. */
export function addOf(id: string): AddOperation {
  const number = numberOf(id);
  const writeEntry: WriteEntry = {
    clientKey: CLIENTS[number % 2 === 0 ? 0 : 1],
    limitScope: 'feed',
    at: timeOf(number),
    kind: 'post',
    id,
    key: KEYS[number] ?? null,
    content: CONTENTS.post[number % 5] ?? '',
  };
  return {
    action: 'add',
    kind: 'post',
    record: postOf(number),
    writeEntry: number % 4 === 0 ? undefined : writeEntry,
  };
}

/** @param number of its own for each moderation of a run */
export function moderationOf(action: Moderation['action'], id: string, number: number): Moderation {
  const at = `2026-11-21T10:48:32.${String(number).padStart(6, '0')}Z`;
  return { action, id, at, reason: 'because' };
}

const hex = (number: number): string => number.toString(16).padStart(8, '0');
