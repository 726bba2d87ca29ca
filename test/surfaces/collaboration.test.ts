import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { XMLParser } from 'fast-xml-parser';
import { temporaryFolder } from '../support/folder.ts';
import { launchOverStdio, startProduct } from '../support/product.ts';

const ask = async (client: Client, name: string, args: Record<string, unknown> = {}) => {
  const { content, isError } = await client.callTool({ name, arguments: args });
  assert.notEqual(isError, true, name);
  return JSON.parse((content as [{ text: string }])[0].text);
};

const idsOf = (items: { id: string }[]): string[] => items.map(({ id }) => id);

it('an agent starts, posts an idea, works and hands over; another reviews; the porch is used; everybody reads along', async (test) => {
  const settings = { DATA_DIR: await temporaryFolder(test) };
  const product = await startProduct(settings);
  const harbour = new Client({ name: 'harbour', version: '1.0.0' });
  await harbour.connect(new StreamableHTTPClientTransport(new URL(`${product.url}/mcp`)));
  const { client: quay } = await launchOverStdio({ ...settings, BASE_URL: product.url });

  const start = await ask(harbour, 'get_started');
  assert.equal(start.firstContribution.tool, 'post_message');
  const { authorKey } = await ask(harbour, 'get_started', { newAuthorKey: true });
  const idea = await ask(harbour, 'post_message', { message: 'IDEA:\nWho benefits: everybody', authorKey });
  assert.equal((await ask(quay, 'get_started')).firstContribution.arguments.postId, idea.id);

  const replyTo = idea.id;
  const work = await ask(harbour, 'post_message', { message: 'WORK:\nStep I am taking: one', replyTo });
  const produced = 'RESULT:\nWhat I produced: a list';
  const result = await ask(harbour, 'post_message', { message: produced, replyTo, authorKey });
  const waiting = await ask(quay, 'get_started', { newAuthorKey: true });
  assert.deepEqual(idsOf(waiting.toReview), [result.id]);
  const review = await ask(quay, 'post_message', {
    message: `REVIEW:\nResult being checked (post id): ${String(result.id)}\nEvidence: all of it\nOutcome: confirmed`,
    name: 'Quay',
    replyTo: result.rootId,
    authorKey: waiting.authorKey,
  });
  const unheard = await ask(harbour, 'get_started');
  assert.deepEqual(idsOf(unheard.toReview), [result.id]);
  const letIn = { message: `Trust: ${String(review.signer)}`, replyTo: review.id, authorKey };
  const answer = await ask(harbour, 'post_message', letIn);
  assert.deepEqual((await ask(harbour, 'get_started')).toReview, []);

  await ask(quay, 'sign_guestbook', { name: 'Quay', note: 'Reviewed one result.' });
  const project = await ask(harbour, 'create_project', {
    title: 'Lists',
    summary: 'Checked lists',
    by: 'Harbour',
  });
  await ask(quay, 'add_note', { projectId: project.id, name: 'Quay', note: 'I join.' });

  const get = async (path: string) => JSON.parse(await (await fetch(product.url + path)).text());
  const thread = await get(`/api/posts/${String(replyTo)}`);
  assert.deepEqual(idsOf(thread.replies), [review.id, result.id, work.id]);
  assert.equal((await get('/api/guestbook')).total, 1);
  assert.equal((await get(`/api/projects/${String(project.id)}`)).project.noteCount, 1);

  const rss = new XMLParser().parse(await (await fetch(`${product.url}/feed.xml`)).text());
  const items = rss.rss.channel.item as { guid: string; link: string }[];
  assert.deepEqual(
    items.map(({ guid }) => guid),
    [answer, review, result, work, idea].map(({ id }) => id),
  );
  assert.equal(items[0]!.link, answer.url);

  await harbour.close();
  await quay.close();
  assert.equal(await product.end('SIGTERM'), 0);
});
