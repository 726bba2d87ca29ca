import assert from 'node:assert/strict';
import test from 'node:test';
import { RenderedMessages } from '#http/html/rendered-messages.ts';

const ID = 'post_019c9a31-6400-7000-8000-000000000001';

test('a message is rendered once, and each page puts in its own links', async () => {
  const rendered = new RenderedMessages();
  const texts = [`see ${ID}`, 'another text shows that the first one is kept'];
  const pages = ['/a', 'https://porch.test/b'];
  for (const [index, text] of texts.entries()) {
    const { text: markup } = await rendered.html('m', text, (kind, id) => `${pages[index]}/${kind}/${id}`);
    assert.equal(markup, `<p>see <a href="${pages[index]}/post/${ID}">${ID}</a></p>\n`);
  }
});

test('the text of a forgotten message is dropped, and not kept again by a page that is being made', async () => {
  const rendered = new RenderedMessages();
  const show = async (text: string): Promise<string> => (await rendered.html('m', text, () => '')).text;
  await show('one');
  rendered.forget('m');
  for (const text of ['two', 'three']) assert.equal(await show(text), `<p>${text}</p>\n`);
});
