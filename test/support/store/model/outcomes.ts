import assert from 'node:assert/strict';
import type { Store } from '#store/port/store.ts';
import { historyOf } from '../store-location.ts';
import type { MachineModel } from './machine-model.ts';
import { isLimited, LIMIT, numberOf, postOf, tracesOf } from './model-records.ts';

const KINDS = ['stored', 'shown', 'refused', 'erased', 'moderated'] as const;

/** What the callers of all processes were told so far. */
export class Outcomes {
  /** Posts that were acknowledged. */
  readonly stored = new Set<string>();
  /** Posts that a read returned. */
  readonly shown = new Set<string>();
  /** Posts of which a caller was told that they are not stored. */
  readonly refused = new Set<string>();
  /** Posts whose erase was acknowledged. */
  readonly erased = new Set<string>();
  /** Reasons of acknowledged moderations; each has its own. */
  readonly moderated = new Set<string>();

  copy(): Outcomes {
    const copy = new Outcomes();
    for (const name of KINDS) for (const entry of this[name]) copy[name].add(entry);
    return copy;
  }

  /** An older copy of the log is in place: nothing that was answered before holds. */
  clear(): void {
    for (const name of KINDS) this[name].clear();
  }
}

export interface Expectations {
  /** The number of the first call that a post repeats, with the same idempotency key. */
  readonly firstOf: ReadonlyMap<number, number>;
  /** Whether the clocks of the processes agree: one that is ahead counts no posts of the others. */
  readonly hasLimit: boolean;
}

/** Checks a store against what was answered. */
export async function checkOutcomes(
  store: Store,
  outcomes: Outcomes,
  { firstOf, hasLimit }: Expectations,
): Promise<void> {
  const history = await historyOf(store);
  const records = history.flatMap((entry) => ('record' in entry ? [entry.record] : []));
  const moderations = history.flatMap((entry) => ('action' in entry ? [entry] : []));
  const ids = records.map(({ id }) => id);
  const erased = new Set(moderations.filter(({ action }) => action === 'erase').map(({ id }) => id));
  const known = new Set([...ids, ...erased]);
  assert.equal(known.size, ids.length + erased.size, 'a post counts more than once, or is there and erased');
  for (const id of outcomes.stored) assert.ok(known.has(id), `the acknowledged ${id} is lost`);
  for (const id of outcomes.shown) assert.ok(known.has(id), `${id}, which a read returned, is lost`);
  for (const id of outcomes.refused) assert.ok(!known.has(id), `the refused ${id} is stored`);
  for (const id of outcomes.erased) assert.ok(erased.has(id), `the acknowledged erase of ${id} is lost`);
  const reasons = moderations.map(({ reason }) => reason);
  assert.equal(new Set(reasons).size, reasons.length, 'a moderation counts more than once');
  for (const reason of outcomes.moderated) assert.ok(reasons.includes(reason), `${reason} is lost`);
  const numbers = [...known].map(numberOf);
  const firsts = numbers.flatMap((number) => firstOf.get(number) ?? []);
  assert.equal(new Set(firsts).size, firsts.length, 'a retry is stored beside its first call');
  const limited = firsts.filter(isLimited).length;
  assert.ok(!hasLimit || limited <= LIMIT.limit, `${limited} posts count against a limit of ${LIMIT.limit}`);
  for (const record of records) {
    const { createdAt: _, ...rest } = record;
    assert.deepEqual(rest, postOf(numberOf(record.id)), 'a post is not as it was written');
  }
  const timestamps = records.map(({ createdAt }) => createdAt);
  assert.equal(new Set(timestamps).size, timestamps.length, 'two posts have one timestamp');
}

/** Checks that no trace of an acknowledged erase is in any file. */
export function assertErased(machine: MachineModel, ids: Iterable<string>): void {
  for (const [name, bytes] of machine.contents())
    for (const id of ids)
      for (const trace of tracesOf(id))
        assert.ok(!bytes.includes(trace), `a trace of the erased ${id} is in ${name}`);
}
