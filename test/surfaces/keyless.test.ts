import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { postJson } from '../support/http/post-json.ts';
import { PLACES } from '../support/places.ts';
import { startProduct } from '../support/product.ts';

const run = promisify(execFile);

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the surfaces' own tests check the types
type Json = any;

/** Calls a tool, and sees to it that the answer is no error and says nothing of keys. */
type Call = (tool: string, args?: Record<string, unknown>) => Promise<Json>;

const PATHS: Readonly<Record<string, (args: Record<string, unknown>) => string>> = {
  get_started: () => '/api/start',
  read_feed: () => '/api/feed',
  find_work: () => '/api/work',
  read_thread: ({ postId, ...rest }) =>
    `/api/posts/${postId as string}?${new URLSearchParams(Object.entries(rest).map(([name, value]): [string, string] => [name, String(value)])).toString()}`,
};

/** An agent that has only the specification: no name, no key, no field that is not there. */
const byCurl =
  (url: string): Call =>
  async (tool, args = {}) => {
    const request =
      tool === 'post_message'
        ? ['--json', JSON.stringify(args), `${url}/api/feed`]
        : [`${url}${PATHS[tool]!(args)}`];
    const { stdout } = await run('curl', ['-sS', '--fail-with-body', ...request]);
    return readAnswer(stdout);
  };

const byMcp =
  (url: string): Call =>
  async (name, args = {}) => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
    const headers = { Accept: 'application/json, text/event-stream' };
    const response = await postJson(`${url}/mcp`, call, headers);
    const { result } = (await response.json()) as Json;
    assert.notEqual(result.isError, true, JSON.stringify(result));
    return readAnswer(JSON.stringify(result.structuredContent));
  };

function readAnswer(text: string): Json {
  assert.doesNotMatch(text, /author.?key|\bkeys?\b|\bmarks?\b/i);
  return JSON.parse(text);
}

for (const [place, open] of Object.entries(PLACES))
  for (const [how, connect] of Object.entries({ curl: byCurl, MCP: byMcp }))
    describe(`three agents without keys by ${how} on ${place}`, () => {
      it('walk the seven steps of the specification, and read nothing that is false', async (t) => {
        const product = await startProduct(await open(t));
        t.after(() => product.end('SIGTERM'));
        const [one, two, three] = [connect(product.url), connect(product.url), connect(product.url)];
        const start = async (call: Call): Promise<string[]> => {
          const { firstContribution } = await call('get_started');
          return [firstContribution, ...firstContribution.alternatives].map(
            ({ why, arguments: { postId } }) =>
              [why.split(/[,.]/)[0], ...(postId === undefined ? [] : [postId])].join(': '),
          );
        };
        const post = async (call: Call, message: string, replyTo?: string): Promise<Json> => {
          const receipt = await call('post_message', { message, ...(replyTo !== undefined && { replyTo }) });
          assert.deepEqual(receipt.warnings, [], message);
          return receipt;
        };

        // 1. Read the feed. 2. Propose an idea.
        assert.deepEqual((await one('read_feed')).messages, []);
        assert.deepEqual(await start(one), ['No one has posted yet']);
        const idea = await post(
          one,
          'IDEA:\nWho benefits: people with a pram\nUseful outcome: a list of steps at the stops\n' +
            'First step: the stops of line 3',
        );

        // 3. Announce a bounded plan.
        assert.deepEqual(await start(two), [`No one is working on this idea: ${idea.id}`]);
        const due = new Date(Date.now() + 6 * 3_600_000).toISOString().slice(0, 16).replace('T', ' ');
        const work = await post(
          two,
          'WORK:\nStep I am taking: the stops of line 3\nExpected result: 12 rows\n' +
            `Next update by (UTC): ${due}\nLimits / when I will stop: one evening`,
          idea.id,
        );
        assert.equal(work.dueAt.slice(0, 16), due.replace(' ', 'T'));
        assert.deepEqual(await start(three), [`Others are working on this: ${idea.id}`]);
        const { working } = await three('find_work');
        const dueTimes = working.map(({ id, dueAt }: Json) => [id, dueAt]);
        assert.deepEqual(dueTimes, [[work.id, work.dueAt]]);

        // 5. Reply with the result, which names the WORK.
        const result = await post(
          two,
          'RESULT:\nWhat I produced: 12 rows\nPublic artifact or findings: 3 stops have a step\n' +
            'Sources and date checked: the map of the line, today\nLimitations: line 3 only\n' +
            `What another agent can check: row 4. This is what ${work.id} announced`,
          idea.id,
        );
        assert.deepEqual((await three('find_work')).working, []);
        assert.equal((await start(three))[0], `No one has reviewed this result yet: ${result.id}`);
        const { toReview } = await three('get_started');
        const ids = toReview.map(({ id }: Json) => id);
        assert.deepEqual(ids, [result.id]);

        // 6. Review it, as the specification lays a review out: without an outcome.
        const review = await post(
          three,
          `REVIEW:\nResult being checked (post id): ${result.id}\nChecks performed: row 4 against the map\n` +
            'Evidence: the map says one step\nFindings / corrections: none\n' +
            'Remaining uncertainty: the other rows',
          idea.id,
        );
        assert.deepEqual(review.checks, [result.id]);
        const { post: shown } = await one('read_thread', { postId: result.id });
        const outcomes = shown.others.map(({ outcome }: { outcome: string | null }) => outcome);
        assert.deepEqual([shown.standing, outcomes], ['reviewed', [null]]);
        const { state } = await one('read_thread', { postId: idea.id, view: 'state' });
        assert.deepEqual([state.counts, state.underWay], [{ reviewed: 1 }, []]);
        const listed = (await one('find_work')).toReview;
        const standings = listed.map(({ id, standing }: Json) => [id, standing]);
        assert.deepEqual(standings, [[result.id, 'reviewed']]);

        // 7. Follow up, or stop.
        assert.deepEqual(await start(one), [
          `Others have reviewed this result: ${result.id}`,
          `This idea has a result: ${idea.id}`,
        ]);
        await post(one, 'Thank you both. I take the list to the council.', idea.id);
        const { replies } = await one('read_thread', { postId: idea.id, whole: true });
        assert.equal(replies.length, 4);
      });
    });
