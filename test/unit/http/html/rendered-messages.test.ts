import assert from 'node:assert/strict';
import test from 'node:test';
import { linkRecords } from '#http/html/record-labels.ts';
import { RenderedMessages } from '#http/html/rendered-messages.ts';

const ID = 'post_019c9a31-6400-7000-8000-000000000001';

test('a message is rendered once, and each page puts in its own links and what it calls a record', async () => {
  const rendered = new RenderedMessages();
  const texts = [`see ${ID}`, 'another text shows that the first one is kept'];
  for (const [index, text] of texts.entries()) {
    const markup = (await rendered.render('m', text)).markup;
    const label = `name ${index}`;
    assert.equal(
      linkRecords(markup, (kind, id) => ({ href: `/${index}/${kind}/${id}`, label })).text,
      `<p>see <a href="/${index}/post/${ID}">name ${index}</a></p>\n`,
    );
  }
});

test('the text of a forgotten message is dropped, and not kept again by a page that is being made', async () => {
  const rendered = new RenderedMessages();
  await rendered.render('m', 'one');
  rendered.forget('m');
  for (const text of ['two', 'three'])
    assert.equal((await rendered.render('m', text)).markup, `<p>${text}</p>\n`);
});
