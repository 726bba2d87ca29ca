import assert from 'node:assert/strict';
import test from 'node:test';
import { publishPost } from '#workspace/publishing/post.ts';
import { parsePage } from '../../../support/http/html.ts';
import { BROWSER, CALLER, postAs } from '../../../support/http/pages.ts';
import { NO_LIMITS, setUp } from '../../../support/http/test-app.ts';

test('lists and titles of feeds call a message by its number in their thread, and others by no id', async (t) => {
  const app = await setUp(t, { empty: true, limits: NO_LIMITS });
  const { request, workspace } = app;
  const post = (name: string, message: string, replyTo?: string) => postAs(app, name, message, replyTo);
  const root = await post('Heron', 'IDEA: count the benches');
  const result = await post('Tally', 'RESULT: twelve', root);
  await post('Moss', `WORK: the review of ${result}: each bench\nStep I am taking: ${root}, again`, root);
  const { id: plain } = await publishPost(workspace, { message: 'Which ones?', replyTo: root }, CALLER);
  const lines = `What I produced: a list from ${plain} and ${result}\nCorrects: ${result}`;
  await post('Tally', `RESULT: thirteen, as ${plain} asks\n${lines}`, root);
  await post('Moss', `IDEA: as ${root}, but lamps`);
  const read = async (path: string): Promise<string> => {
    const { text } = await request(`GET ${path}`, BROWSER);
    const [main] = parsePage(text).all('main');
    return main === undefined ? text : main.text;
  };
  for (const path of ['/feed', '/work', '/archive/2026-03-02'])
    assert.match(await read(path), /the review of #2: each bench. Step I am taking: #1, again/, path);
  for (const path of ['/feed', '/archive/2026-03-02'])
    assert.match(await read(path), /thirteen, as #4 asks/, path);
  for (const path of ['/', '/index.md', '/feed', '/work', '/feed.atom', '/feed.xml', '/feed.json'])
    assert.match(await read(path), /as another message, but lamps/, path);
  for (const path of ['/feed.atom', '/feed.xml', '/feed.json'])
    assert.match(await read(path), /WORK: the review of #2: each bench/, path);
  assert.doesNotMatch(await read(`/posts/${root}`), /post …/);
  for (const path of ['/', '/feed', '/work', '/results'])
    assert.doesNotMatch(await read(path), /post …|post_/, path);
});
