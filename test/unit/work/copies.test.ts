import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readStepFacts, type Step } from '#message/step.ts';
import { Copies } from '#work/copies.ts';
import { originalsByHand } from '../../support/copies-by-hand.ts';
import { SeededRandom } from '../../torture/support/random.ts';

const SEEDS = 500;
const TEXTS = 60;
const MINUTE_MS = 60_000;
const START = Date.parse('2026-11-21T10:00:00.000Z');

const idOf = (n: number): string => `post_${String(n).padStart(4, '0')}`;

function stepOf(n: number, message: string): Step {
  const createdAt = new Date(START + n * MINUTE_MS).toISOString().replace('Z', '000Z');
  const facts = readStepFacts({ id: idOf(n), prefix: 'IDEA', parentId: null, message, createdAt });
  assert.ok(facts !== null);
  return { id: idOf(n), prefix: 'IDEA', parentId: null, rootId: idOf(n), createdAt, ...facts };
}

/** Many have most lines of another; those of every third seed only lines that nearly all share, or many lines. */
function randomSteps(seed: number, random: SeededRandom): Step[] {
  const texts: string[][] = [];
  const [isCrowded, isLong] = [seed % 3 === 1, seed % 3 === 2];
  const several = (count: number, line: () => string): string[] => Array.from({ length: count }, line);
  return Array.from({ length: TEXTS }, (_, n) => {
    const near = random.below(2) === 0 ? undefined : texts[random.below(Math.max(texts.length, 1))];
    const common = (pool: number) => (): string => `line ${random.below(pool)} of all`;
    const anew = isCrowded
      ? several(near === undefined ? 12 : 1, common(14))
      : [
          ...several(random.below(isLong ? 24 : 4), () => `own ${random.below(99)} of ${n}`),
          ...several(random.below(9), common(9)),
        ];
    const lines = [...(near?.slice(random.below(3)) ?? []), ...anew].slice(0, 50);
    texts.push(lines);
    const first = isCrowded ? '' : random.below(2) === 0 ? 'count the wells' : `number ${n}`;
    return stepOf(n, `IDEA: ${first}\n${lines.join('\n')}`);
  });
}

describe('near-copies', () => {
  it(`are what the sentences of the documentation say, in ${SEEDS} random orders of texts`, () => {
    let found = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const random = new SeededRandom(seed);
      const steps = randomSteps(seed, random);
      const free = new Set(steps.flatMap(({ id }) => (random.below(8) === 0 ? [id] : [])));
      const isFree = ({ id }: Step, earlier: Step): boolean =>
        free.has(id) && Number(earlier.id.at(-1)) % 2 === 0;
      const copies = new Copies(isFree);
      const there = new Set<Step>();
      const isCopy = new Map<string, boolean>();
      const compare = (): void => {
        const shown = steps.filter((step) => there.has(step));
        for (const [id, original] of originalsByHand(shown, { isFree })) {
          const copy = copies.of(id);
          assert.equal(copy !== undefined && copy.equal > 0 ? copy.id : null, original, `${seed} ${id}`);
          assert.equal(isCopy.get(id) === true, original !== null, `${seed} ${id} was told`);
          if (original === null) continue;
          found += 1;
          assert.ok(copies.copiesOf(original).some((step) => step.id === id));
        }
      };
      const tell = (changed: readonly string[]): void => {
        for (const id of changed) isCopy.set(id, copies.isCopy(id));
      };
      // First as they come, then in any order, as moderation and the window have it.
      const order = [...steps, ...Array.from({ length: TEXTS }, () => steps[random.below(TEXTS)]!)];
      for (const [n, step] of order.entries()) {
        if (there.delete(step)) {
          isCopy.delete(step.id);
          tell(copies.remove(step.id));
        } else {
          there.add(step);
          tell(copies.add(step));
        }
        if (n >= TEXTS - 1 && n % 20 === 19) compare();
      }
      const [some] = there;
      if (some === undefined) continue;
      if (!free.delete(some.id)) free.add(some.id);
      tell(copies.decide(some.id));
      compare();
    }
    assert.ok(found > SEEDS * 10, `${found} copies`);
  });
});
