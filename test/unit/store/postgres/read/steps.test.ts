import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createReadSteps } from '#store/postgres/read/steps.ts';
import type { RunQuery } from '#store/postgres/read/run-query.ts';
import { NO_FACTS } from '../../../../support/steps.ts';

const PAGE_ROWS = 1000;

const rowOf = (n: number) => ({
  id: `post_${n}`,
  prefix: 'WORK',
  createdAt: String(n).padStart(9, '0'),
  parentId: null,
  rootId: `post_${n}`,
  hidden: false,
  opener: null,
  step: NO_FACTS,
});

/** A database with some pages of new steps, whose list is then rearranged with each statement. */
function createDatabase(pages: number) {
  let [statements, left, steps] = [0, pages, 1];
  const pageOf = () => Array.from({ length: PAGE_ROWS }, () => rowOf(++steps));
  const runQuery = async (name: string): Promise<unknown[]> => {
    statements += 1;
    assert.ok(statements < 100, 'reads on for ever');
    if (name === 'older steps') return [rowOf(1)];
    if (name !== 'later steps') return [];
    // The first read has two.
    if (statements <= 3) return [{ rearranged: 0, arrived: 0, hasNewest: true, steps: [] }];
    if (left > 0) return [{ rearranged: 0, arrived: 0, hasNewest: true, steps: (left--, pageOf()) }];
    return [{ rearranged: statements, arrived: statements, hasNewest: true, steps: [] }];
  };
  return runQuery as RunQuery;
}

for (const pages of [0, 1, 5])
  it(`a list that is rearranged at each read is returned as it is, ${pages} pages behind`, async () => {
    const read = createReadSteps(createDatabase(pages));
    assert.equal((await read()).length, 1);
    assert.ok((await read()).length > 0);
  });
