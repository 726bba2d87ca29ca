import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WriteHistory } from '#store/engine/write-history.ts';
import { anOrigin } from '../../../support/store/records.ts';

test('a busy day is remembered write by write, without a look through those before', () => {
  const history = new WriteHistory();
  const writes = 3000;
  let looks = 0;
  for (let n = 0; n < writes; n++) {
    const entry = { ...anOrigin(`${n % 10}`), kind: 'post', id: `post_${n}` } as const;
    history.add({
      ...entry,
      get atMs() {
        looks += 1;
        return n;
      },
    });
  }
  assert.ok(looks < 20 * writes, `it looked ${looks} times`);
  const asked = { by: null, windowMs: writes, limit: 9 };
  assert.equal(history.recentWrites(asked, writes).length, 9);
});
