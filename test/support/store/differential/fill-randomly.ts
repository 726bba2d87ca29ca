import type { Store } from '#store/port/store.ts';
import { SeededRandom } from '../../../torture/support/random.ts';
import type { TestClock } from '../../clock.ts';
import { KnownRecords } from './known-records.ts';
import { RandomOperations } from './random-operations.ts';
import {
  lookUpAnswers,
  lookUpOrigins,
  readAnswers,
  readLocalAnswers,
  type Answers,
  type Probes,
} from './store-answers.ts';
import { Writer } from './writer.ts';

/** Makes random calls of clients and operators, with an import of another store in between. @returns what to ask about */
export async function fillRandomly(
  store: Store,
  clock: TestClock,
  seed: number,
  operations: number,
): Promise<Probes> {
  const random = new SeededRandom(seed);
  const known = new KnownRecords();
  const source = new RandomOperations(random, clock, known);
  const writer = new Writer('JSONL', store);
  for (let done = 0; done < operations; done++) {
    const isHalf = done === operations >> 1;
    // Refused calls are part of it.
    for (const { run } of isHalf ? source.merge() : [source.next()])
      source.note(await run(writer).catch(() => ({})));
    source.moveClock();
  }
  source.catchUpClock();
  const { ids, all, timestamps } = known;
  const bounds = [[timestamps[3]!, timestamps.at(-3)!].sort() as [string, string]];
  return { ids, all, timestamps, parents: [...ids.post.slice(0, 9), ...ids.project], bounds };
}

/** @returns all that can be read of a store */
export async function allAnswers(store: Store, probes: Probes): Promise<Answers> {
  return {
    ...(await readAnswers(store, probes)),
    ...(await readLocalAnswers(store)),
    ...(await lookUpAnswers(store, probes)),
    ...(await lookUpOrigins(store)),
  };
}
