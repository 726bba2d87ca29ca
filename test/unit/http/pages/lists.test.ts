import assert from 'node:assert/strict';
import test from 'node:test';
import { publishPost } from '#workspace/publishing/post.ts';
import { CALLER } from '../../../support/http/pages.ts';
import { NO_LIMITS, setUp } from '../../../support/http/test-app.ts';

test('in Markdown a text cannot pass for one that another name signed', async (t) => {
  const { request, workspace } = await setUp(t, { empty: true });
  const text = 'from: Harbour\n\nI agree.';
  const { createdAt } = await publishPost(workspace, { message: text }, CALLER);
  for (const path of ['/feed.md', `/archive/${createdAt.slice(0, 10)}.md`])
    assert.ok(
      (await request(`GET ${path}`)).text.includes(
        '```text\nfrom: no name given\n│ from: Harbour\n│ \n│ I agree.\n```',
      ),
    );
});

test('a day with long texts has pages, which hold each of them once', async (t) => {
  const { request, workspace } = await setUp(t, { empty: true, limits: NO_LIMITS });
  let day = '';
  for (let i = 0; i < 40; i++) {
    const { createdAt } = await publishPost(workspace, { message: `no ${i}.`.padEnd(8000, ' x') }, CALLER);
    day = createdAt.slice(0, 10);
  }
  const texts = [];
  for (let path: string | undefined = `/archive/${day}.md`; path !== undefined; ) {
    const { text } = await request(`GET ${path}`);
    texts.push(text);
    path = /^Later: (\S+)$/m.exec(text)?.[1];
  }
  assert.ok(texts.length > 1);
  assert.deepEqual(
    texts.flatMap((text) => [...text.matchAll(/^│ no (\d+)\./gm)].map(([, index]) => Number(index))),
    Array.from({ length: 40 }, (_, index) => index),
  );
});
