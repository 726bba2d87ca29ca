import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Step } from '#message/step.ts';
import { type Board } from '#work/board.ts';
import { WORK_LISTS } from '#work/work-lists.ts';
import { listedAt } from '#work/listing-delay.ts';
import { viewpointOfOpener, viewpointOfSigner } from '#work/trusted.ts';
import { freeParts, partsOf } from '#work/parts.ts';
import { isSameWriter } from '#work/writers.ts';
import { findCopyOf, shownStandingOf, signatureOfStep } from '#work/standing-view.ts';
import { statusOf } from '#work/works.ts';
import { boardOf, listWork, toSteps, type State } from '../../support/derived-work.ts';
import { randomPosts, randomReviews, RANDOM_START, SIGNERS } from '../../support/random-work.ts';
import { standingByHand } from '../../support/standing-by-hand.ts';
import { workByHand } from '../../support/work-by-hand.ts';
import { SeededRandom } from '../../torture/support/random.ts';
import { firstOf } from '../../support/thorough.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const TIMES = [HOUR_MS, DAY_MS + HOUR_MS, 5 * DAY_MS, 60 * DAY_MS].map((after) => RANDOM_START + after);
const COMPARED_PAIRS = 400;

const { SEEDS = '6', FIRST_SEED = '1' } = process.env;
const seeds = Array.from({ length: Number(SEEDS) }, (_, n) => Number(FIRST_SEED) + n);

/** Of each post whether reports hold it, or the operator hid or erased it. */
function randomStates(random: SeededRandom, ids: readonly string[]): Map<string, State> {
  return new Map(
    ids.flatMap((id): [string, State][] => {
      const roll = random.below(16);
      return roll > 1 ? [] : [[id, roll === 0 ? 'held' : 'gone']];
    }),
  );
}

/** Compares all that is derived from steps with the sentences of the documentation. */
function compare(derived: Board, steps: readonly Step[], now: number, random: SeededRandom): void {
  const expected = workByHand(steps, now);
  for (const [rootId, trusted] of Object.entries(expected.trustedIn)) {
    const found = viewpointOfOpener(derived.thread(rootId)!).trusted;
    assert.deepEqual(Array.from(found.keys(), ({ signer }) => signer).sort(), trusted, rootId);
  }
  const lists = listWork(boardOf(steps), now);
  for (const list of WORK_LISTS)
    assert.deepEqual(
      lists[list].map(({ id }) => id),
      expected.lists[list],
      `${list} at ${now}`,
    );
  for (const [id, work] of derived.works) {
    const { endedBy, dueAt } = statusOf(work);
    assert.equal(endedBy === null ? dueAt : undefined, expected.dueAt[id], id);
  }
  compareStandings(derived, steps);
  for (const [id, idea] of derived.ideas) {
    const parts = partsOf(idea, now).map(({ name, state, refuted, announced }) => {
      const [first, second] = [refuted, announced].map((list) => list.map(({ step }) => step.id));
      return { name, state, refuted: first, announced: second };
    });
    assert.deepEqual(parts, expected.parts[id], id);
    assert.deepEqual(freeParts(idea, now), expected.freeParts[id], id);
  }
  for (const step of steps) {
    const { signer, namesakeOf } = signatureOfStep(derived, step.id);
    assert.equal(signer, step.mark);
    assert.equal(namesakeOf?.id, expected.namesakeOf[step.id]);
    const copyOf = findCopyOf(derived, step.id);
    assert.equal(copyOf?.equal === 0 ? undefined : copyOf?.id, expected.copyOf[step.id], step.id);
  }
  for (let pair = 0; pair < COMPARED_PAIRS; pair++) {
    const place = 1 + random.below(steps.length - 1);
    const [later, earlier] = [steps[place]!, steps[random.below(place)]!];
    const [author, other] = [later, earlier].map((step) => derived.authorOf(step)) as [never, never];
    assert.equal(
      isSameWriter(author, other),
      expected.mayChange(later.id, earlier.id),
      `${later.id} ${earlier.id}`,
    );
  }
}

/** Compares how RESULTs stand, and by which messages, as the opener or another signer sees it. */
function compareStandings(derived: Board, steps: readonly Step[], viewer?: string): void {
  const expected = standingByHand(steps, { viewer });
  for (const [id, { thread, step }] of derived.results) {
    if (step.isHeld === true) continue;
    const viewpoint = viewer === undefined ? undefined : viewpointOfSigner(thread, viewer);
    const { checked = [], others = [], newerEdition, ...found } = shownStandingOf(derived, id, viewpoint);
    assert.deepEqual(
      {
        standing: found.standing,
        checked: checked.map((review) => review.id),
        others: others.map(({ outcome, id: review, of }) => ({ outcome, id: review, ...(of && { of }) })),
        replacedBy: found.replacedBy,
        newerEdition: newerEdition?.id,
        withdrawn: found.withdrawn,
      },
      {
        standing: expected.standingOf(step),
        checked: expected.checkedOf(step),
        others: expected.othersOf(step),
        replacedBy: expected.replacedBy(step),
        newerEdition: expected.newerEdition(step),
        withdrawn: steps.find((one) => one.id === expected.withdrawnBy(step) && one.isHeld !== true)?.id,
      },
      `${id} as ${viewer} sees it`,
    );
    if (viewer === undefined) assert.equal(listedAt(derived.results.get(id)!), expected.listedAt(step), id);
  }
}

for (const seed of firstOf(seeds, 2))
  it(`decides how the RESULTs of a random thread of seed ${seed} stand as the sentences say`, () => {
    const posts = randomReviews(seed);
    const ids = posts.map(({ id }) => id);
    const states = seed % 3 === 0 ? randomStates(new SeededRandom(seed), ids) : undefined;
    const steps = toSteps(posts, states);
    for (const viewer of [undefined, ...SIGNERS]) compareStandings(boardOf(steps), steps, viewer);
  });

for (const seed of firstOf(seeds, 2))
  it(`derives from random posts of seed ${seed} what the sentences of the documentation say`, () => {
    const random = new SeededRandom(seed);
    const posts = randomPosts(seed);
    const states = randomStates(
      random,
      posts.map(({ id }) => id),
    );
    const steps = toSteps(posts, states);
    for (const now of TIMES) compare(boardOf(steps), steps, now, random);
  });
