import { HOLD_PREFIX, type Kind, type Timestamp } from '#store/port/records.ts';

export const KINDS = ['post', 'guest', 'project', 'note'] as const;

/** Names and marks that posts may have, and reasons of a hide: by the last one it holds a message. */
export const NAMES = [undefined, 'Ann', 'ann', '字'] as const;
export const MARKS = [undefined, '0123456789ab', '0123456789AC'] as const;
export const REASONS = ['a test', `${HOLD_PREFIX} 2026-11-22T10:49Z: a test`] as const;

/** Draws an integer from 0 to `bound` - 1. */
type Draw = (bound: number) => number;

/** Drawn instead of any id one time in so many: one of the newest. */
const RECENT = 12;

/** The ids and timestamps that a run has used, whatever became of them. */
export class KnownRecords {
  readonly ids: Record<Kind, string[]> = { post: [], guest: [], project: [], note: [] };
  readonly timestamps: Timestamp[] = [];
  /** What an operator or an import has tried to erase. */
  readonly erased = new Set<string>();
  /** By the ids of posts, the first posts of their threads. */
  readonly roots = new Map<string, string>();
  #created = 0;

  /** @returns an id of the form that references in texts have */
  newId(kind: Kind): string {
    this.#created += 1;
    const id = `${kind}_${this.#created.toString(16).padStart(8, '0')}-0000-7000-8000-000000000000`;
    this.ids[kind].push(id);
    return id;
  }

  get all(): string[] {
    return KINDS.flatMap((kind) => this.ids[kind]);
  }

  /** @returns an id of the kind, mostly a recent one; a new one that no record has if there is none */
  pick(kind: Kind, below: Draw): string {
    const ids = this.ids[kind];
    if (ids.length === 0) return this.newId(kind);
    const from = below(3) > 0 ? Math.max(0, ids.length - RECENT) : 0;
    return ids[from + below(ids.length - from)]!;
  }

  pickAny(below: Draw): string {
    return this.pick((['post', 'post', 'post', ...KINDS] as const)[below(7)]!, below);
  }
}
