import type { ExportedRecord, ModerationEntry } from '#store/port/records.ts';
import { aPost } from './records.ts';

/** A post of some microseconds past ten, as an import has it. */
export const imported = (message: string, microseconds: number): ExportedRecord => ({
  kind: 'post',
  record: { ...aPost(message), createdAt: `2026-11-20T10:00:00.${String(microseconds).padStart(6, '0')}Z` },
});

/** An import in two processes: the one that is late has an entry of its own in front of the common one. */
export interface Overlap {
  readonly late: readonly (ExportedRecord | ModerationEntry)[];
  readonly prompt: readonly (ExportedRecord | ModerationEntry)[];
  /** Posts of which the store has each once. */
  readonly texts: readonly string[];
  readonly reasons: readonly string[];
}

const [OWN, COMMON, HIDDEN] = [imported('own', 1), imported('common', 2), imported('hidden', 3)] as const;

const hideOf = ({ record }: ExportedRecord, reason: string): ModerationEntry => ({
  action: 'hide',
  id: record.id,
  at: '2026-11-20T11:00:00.000000Z',
  reason,
});

/** By what both imports have. */
export const OVERLAPS: Readonly<Record<string, Overlap>> = {
  'a record': { late: [OWN, COMMON], prompt: [COMMON], texts: ['common', 'own'], reasons: [] },
  'a hide of one record and time': {
    late: [OWN, hideOf(HIDDEN, 'of the late one')],
    prompt: [HIDDEN, hideOf(HIDDEN, 'of the prompt one')],
    texts: ['own'],
    reasons: ['of the prompt one'],
  },
};
