import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { addNote, createProject, signGuestbook } from '#workspace/porch/porch.ts';
import { publishPost } from '#workspace/publishing/post.ts';
import fc from 'fast-check';
import { atomOf, channelOf, shown, READ_ITEMS } from '../support/http/feeds.ts';
import { parsePage, visibleText } from '../support/http/html.ts';
import { assertShows, markdownText, SENTINEL } from '../support/http/markdown-text.ts';
import { NO_LIMITS, setUp } from '../support/http/test-app.ts';

const CALLER = { clientKey: 'a test' };
const RUNS = { seed: 40, numRuns: 3, endOnFailure: true };

const app = await setUp({ after }, { empty: true, limits: NO_LIMITS });
const { workspace } = app;
const texts = fc.array(markdownText, { minLength: 8, maxLength: 8 });
/** Of a thread that shows most of them as lines that open. */
const longThread = fc.array(markdownText, { minLength: 12, maxLength: 12 });

async function read(path: string): Promise<string> {
  const { status, text } = await app.request(`GET ${path}`);
  assert.equal(status, 200, path);
  return text;
}

async function postAll([first = '', ...others]: readonly string[]): Promise<string[]> {
  const { id: root } = await publishPost(
    workspace,
    { message: first, name: `${SENTINEL}name │ ## POST` },
    CALLER,
  );
  const replies: string[] = [];
  for (const message of others)
    replies.push((await publishPost(workspace, { message, replyTo: root }, CALLER)).id);
  return [root, ...replies];
}

/** Asserts that what is not behind a mark is of the service. @returns the texts behind the marks */
function markedText(document: string): string {
  const lines = document.split(/\r\n|[\r\n\u0085\u2028\u2029]/);
  for (const line of lines) assert.doesNotMatch(line.replace(/│ .*/, ''), new RegExp(SENTINEL), line);
  return lines.flatMap((line) => /(?<=│ ).*/.exec(line)?.[0] ?? []).join('\n');
}

const countHeadings = (markdown: string): number =>
  markdown.match(/^## #\d+ (?:POST|IDEA) post_/gm)?.length ?? 0;

test('every word of a message is on its page, in its Markdown, its plain text and its feeds', async () => {
  await fc.assert(
    fc.asyncProperty(longThread, async (messages) => {
      const ids = await postAll(messages);
      const root = ids[0] ?? '';
      const html = await read(`/posts/${root}`);
      assert.equal(parsePage(html).all('article').length, ids.length);
      const page = visibleText(html);
      const markdown = await read(`/posts/${root}.md`);
      assert.equal(countHeadings(markdown), ids.length);
      const shownByTwin = markedText(markdown);
      const newest = markedText(await read('/feed.md'));
      const [rss, atom, json, thread] = await Promise.all(
        ['/feed.xml', '/feed.atom', '/feed.json', `/posts/${root}/feed.atom`].map(read),
      );
      const htmlOf = (path: string, body = ''): Map<string, string> =>
        new Map(READ_ITEMS[path]?.(body).map(({ id, html: markup }) => [id.slice(-36), markup]));
      const markups = [
        htmlOf('/feed.xml', rss),
        htmlOf('/feed.atom', atom),
        htmlOf('/feed.json', json),
        htmlOf('/feed.atom', thread),
      ];
      const items = new Map<string, string>(
        channelOf(rss ?? '').item.map((item: { guid: { '#text': string }; description: string }) => [
          item.guid['#text'],
          item.description,
        ]),
      );
      assert.equal(atomOf(thread ?? '').entry.length, ids.length);
      for (const [index, message] of messages.entries()) {
        const id = ids[index] ?? '';
        for (const surface of [page, shownByTwin, newest, markedText(await read(`/posts/${id}.txt`))])
          assertShows(surface, message);
        for (const markup of markups) assertShows(visibleText(markup.get(id.slice(-36)) ?? ''), message);
        assertShows(shown(items.get(id) ?? ''), message);
      }
    }),
    RUNS,
  );
});

/** A text of the porch, which may have no more than two links. */
const porchText = (text: string, length: number): string =>
  `x ${Array.from(text.replace(/http|www/g, ''))
    .slice(0, length)
    .join('')}`;

test('every word of a project and of a note is on its page and in its Markdown', async () => {
  await fc.assert(
    fc.asyncProperty(texts, async (all) => {
      const name = `${SENTINEL}name`;
      const [summary = '', looking_for = '', ...notes] = all.map((text) => porchText(text, 480));
      const { id } = await createProject(
        workspace,
        { title: '## x', by: name, summary, looking_for },
        CALLER,
      );
      for (const note of notes) {
        await addNote(workspace, { projectId: id, name, note }, CALLER);
        await signGuestbook(workspace, { name, kind: name, note }, CALLER);
      }
      for (const [path, shownThere] of [
        [`/projects/${id}`, [summary, looking_for, ...notes]],
        ['/projects', [summary]],
        ['/guestbook', notes],
      ] as const) {
        const surfaces = [visibleText(await read(path)), markedText(await read(`${path}.md`))];
        for (const text of shownThere) for (const surface of surfaces) assertShows(surface, text);
      }
    }),
    RUNS,
  );
});

test('what the head of a page tells of a message stands on the page', async () => {
  await fc.assert(
    fc.asyncProperty(texts, async (messages) => {
      const [root = ''] = await postAll(messages);
      const html = await read(`/posts/${root}`);
      const page = parsePage(html);
      const contents = page.all('meta').map(({ attributes }) => attributes['content'] ?? '');
      const told = contents.filter((text) => text.includes(SENTINEL));
      assert.ok(told.length > 0);
      const body = visibleText(html);
      // Of a cut text the last word may be a part of one.
      // It has a blank for the bar of a table.
      const lines = told.map((text) => text.replace(/^Message by an unverified writer; \d+ replies\. /, ''));
      assert.notDeepEqual(lines, told);
      for (const line of lines.flatMap((text) => text.replace(/\S*…$/, '').split(/ · |…/)))
        if (line.includes(SENTINEL)) assertShows(body, line.replaceAll(' ', ''));
    }),
    RUNS,
  );
});
