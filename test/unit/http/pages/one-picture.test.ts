import assert from 'node:assert/strict';
import test from 'node:test';
import { standingWords } from '#http/html/standings.ts';
import type { Standing } from '#work/model.ts';
import { postAs, readPage, trim } from '../../../support/http/pages.ts';
import { NO_LIMITS, setUp } from '../../../support/http/test-app.ts';
import { randomPosts, randomReviews, RANDOM_START } from '../../../support/random-work.ts';
import { importPosts } from '../../../support/store/writes.ts';
import { firstOf } from '../../../support/thorough.ts';
import { timestampAt } from '#workspace/text/time.ts';

interface Brief {
  readonly id: string;
  readonly standing: Standing;
  readonly checked?: readonly { readonly id: string }[];
  readonly others?: readonly { readonly id: string }[];
  readonly more?: true;
}

for (const seed of firstOf([3, 4, 5, 6, 7, 8], 1))
  for (const posts of [randomPosts(seed), randomReviews(seed)])
    test(`state, page, Markdown and results say the same of ${posts.length} random messages of seed ${seed}`, async (t) => {
      const app = await setUp(t, { empty: true, limits: NO_LIMITS });
      await importPosts(app.store, posts);
      app.clock.set(timestampAt(RANDOM_START + 40 * 3_600_000));
      const roots = new Set(posts.map(({ rootId }) => rootId));
      const listed = new Map(
        (await app.request('GET /results.md')).text
          .split(/^### RESULT /m)
          .slice(1)
          .map((entry) => [entry.slice(0, entry.indexOf('\n')), reviewsIn(entry)]),
      );
      let compared = 0;
      for (const root of roots) {
        const { state } = (await app.request(`GET /api/posts/${root}?view=state`)).json;
        const page = await readPage(app, `/posts/${root}`);
        const thread = posts.filter(({ rootId }) => rootId === root);
        const idOf = (number: string | undefined): string => thread[Number(number) - 1]?.id ?? '';
        const rows = page
          .all('li')
          .filter(({ path }) => path.at(-1) === 'ol' && path.includes('section') && !path.includes('article'))
          .map((row) => trim(row.text));
        const twin = (await app.request(`GET /posts/${root}.md`)).text.split('\n## Trusted here')[0] ?? '';
        const entries = twin.split(/^### /m).slice(1);
        const inTwin = entries.map((entry) => /^(?:RESULT|WORK) .*?(post_\S+)/.exec(entry)?.[1] ?? '');
        const inRows = rows.map((row) => idOf(/, #(\d+)/.exec(row)?.[1]));
        // A row of a part without a message has none.
        const known = inTwin.map((id) => (posts.some((one) => one.id === id) ? id : ''));
        assert.deepEqual(known, inRows);
        const results: Brief[] = [...state.results, ...state.toReview];
        const places = (ids: readonly string[]): number[] => ids.map((id) => inRows.indexOf(id));
        const ordered = (list: readonly number[]): number[] => list.toSorted((a, b) => a - b);
        const ofLists = [state.results, state.toReview, state.setAside ?? []].map((list) =>
          places(list.map(({ id }: { id: string }) => id)),
        );
        for (const list of ofLists) {
          assert.ok(!list.includes(-1), `${root}: ${list}`);
          const besides = list.filter((place) => !isOfPart(state, inRows[place] ?? ''));
          assert.deepEqual(besides, ordered(besides), 'the same order');
        }
        for (const brief of results) {
          const place = inRows.indexOf(brief.id);
          const [row = '', entry = ''] = [rows[place], entries[place]];
          assert.ok(row.includes(`${standingWords(brief)} `), `${brief.standing}: ${row}`);
          assert.ok(entry.includes(`${standingWords(brief)} since `), `${brief.standing}: ${entry}`);
          if (brief.more === true) continue;
          const said = [...(brief.checked ?? []), ...(brief.others ?? [])].map(({ id }) => id);
          compared += 1;
          const ofRow = [...row.matchAll(/ #(\d+)/g)].map(([, number]) => idOf(number)).slice(1);
          assert.deepEqual(reviewsIn(entry), said, 'the same checks');
          if (listed.has(brief.id)) assert.deepEqual(listed.get(brief.id), said, 'on /results');
          const inBoth = ofRow.filter((id) => said.includes(id));
          assert.deepEqual(inBoth, said, row);
        }
        const shown = page.all('p', { class: 'sum' })[0];
        const { confirmed = 0 } = state.counts;
        if (state.parts.length === 0 && shown !== undefined && confirmed > 0)
          assert.match(shown.text, new RegExp(`^${confirmed} of `));
        const trusted = page.all('section', { class: 'trusted' })[0]?.text ?? state.decidedBy;
        assert.ok(trusted.includes(state.decidedBy), trusted);
      }
      assert.ok(compared > 2, `${compared}`);
    });

const reviewsIn = (entry: string): (string | undefined)[] =>
  [...entry.matchAll(/^REVIEW (\S+)/gm)].map(([, id]) => id);

function isOfPart({ parts }: { parts: readonly { readonly result?: string }[] }, id: string): boolean {
  return parts.some(({ result }) => result === id);
}

test('each part that one signer is working on names its WORK', async (t) => {
  const app = await setUp(t, { empty: true, limits: NO_LIMITS });
  const root = await postAs(app, 'Ann', 'IDEA: wells\nParts: north; south');
  for (const part of ['north', 'south']) {
    app.clock.advance(1000);
    await postAs(app, 'Ann', `WORK: the ${part}\nPart: ${part}`, root);
  }
  const page = await readPage(app, `/posts/${root}`);
  const rows = page.all('li').map((row) => trim(row.text));
  for (const [part, number] of [
    ['north', 2],
    ['south', 3],
  ])
    assert.ok(
      rows.some(
        (row) => row.startsWith(`${part} being worked on the ${part} Ann`) && row.includes(`#${number}`),
      ),
      rows.join('\n'),
    );
});
