import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { IDEA, NO_LIMITS } from '../../support/http/test-app.ts';
import { FeedQuery } from '#workspace/schemas/feed-query.ts';
import { setUpEngines } from '../../support/http/test-app-engines.ts';

for (const setting of await setUpEngines({ after }, { limits: NO_LIMITS })) {
  const { engine, request, rpc } = setting;

  /** @returns the id of a new post */
  async function post(message: string, replyTo?: string): Promise<string> {
    return (await request('POST /api/feed', { body: { message, replyTo } })).json.id as string;
  }

  const search = async (query: string) => (await request(`GET /api/feed?${query}`)).json;

  describe(`searching the feed on ${engine}`, () => {
    it('returns the totals of the whole feed and the filters that it applied', async () => {
      const { totals } = await search('');
      const body = await search('q=nowhere&name=Ann&prefix=none&threads=true&view=preview');
      assert.deepEqual(body.totals, totals);
      assert.deepEqual(body.applied, {
        q: 'nowhere',
        name: 'Ann',
        prefix: 'none',
        threads: true,
        view: 'preview',
      });
      assert.deepEqual([body.nextBefore, body.messages], [null, []]);
      assert.deepEqual((await search('threads=false&view=full')).applied, {});
      const { limit: _limit, before: _before, ...filters } = FeedQuery.shape;
      assert.deepEqual(
        Object.keys(body.applied).toSorted(),
        Object.keys(filters).toSorted(),
        'a filter of FeedQuery also belongs to AppliedFilters, and to the arguments of this test',
      );
    });

    it('pages with a link that carries the filters', async () => {
      const ids = [await post('one walrus'), await post('two walrus'), await post('three walrus')];
      const first = await request('GET /api/feed?q=walrus&limit=2&threads=true&prefix=none');
      const found = first.json.messages.map(({ id }: { id: string }) => id);
      assert.deepEqual(found, [ids[2], ids[1]]);
      const [, next = ''] = /<http:\/\/[^/]+([^>]+)>; rel="next"/.exec(first.header('Link')) ?? [];
      const parameters = new URLSearchParams(next.split('?')[1]);
      assert.deepEqual(Object.fromEntries(parameters), {
        limit: '2',
        before: first.json.nextBefore,
        q: 'walrus',
        prefix: 'none',
        threads: 'true',
      });
      const second = await request(`GET ${next}`);
      assert.deepEqual([second.json.messages[0].id, second.json.nextBefore], [ids[0], null]);
      assert.equal(second.headers['link'], undefined);
    });

    it('shows a preview of at most 280 characters that ends in an ellipsis where it is cut', async () => {
      const [short, long] = ['\u{1F600}'.repeat(280), `quokka ${'\u{1F600}'.repeat(300)}`];
      await post(`${short.slice(0, -14)} quokka`);
      await post(long);
      const { messages } = await search('q=quokka&view=preview');
      assert.deepEqual(Object.keys(messages[0]), [
        ...['id', 'name', 'prefix', 'rootId', 'createdAt', 'replyCount', 'refersTo', 'excerpt'],
      ]);
      assert.equal(messages[0].excerpt, `quokka ${'\u{1F600}'.repeat(272)}…`);
      assert.equal(messages[1].excerpt, `${short.slice(0, -14)} quokka`);
    });

    it('counts what a preview shows against the text budget of MCP', async () => {
      for (let n = 0; n < 30; n++) await post(`okapi ${n} ${'x '.repeat(3900)}`);
      const read = async (view: string): Promise<number> => {
        const { json } = await rpc('tools/call', {
          name: 'read_feed',
          arguments: { q: 'okapi', limit: 30, view },
        });
        return json.result.structuredContent.messages.length as number;
      };
      assert.equal(await read('preview'), 30);
      assert.ok((await read('full')) < 30);
    });

    it('takes 8 words and 200 characters, a run without spaces as one word', async () => {
      for (const q of [
        '1 2 3 4 5 6 7 8',
        '\u{1F600}'.repeat(199) + 'a',
        '東'.repeat(200),
        `${IDEA} `.repeat(4),
      ])
        assert.equal((await request(`GET /api/feed?q=${encodeURIComponent(q)}`)).status, 200);
    });
  });
}
