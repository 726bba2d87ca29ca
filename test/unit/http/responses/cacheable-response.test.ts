import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import test from 'node:test';
import { promisify } from 'node:util';
import { gunzipSync, gzip } from 'node:zlib';
import type { CachedResult } from '#tool/cached-result.ts';
import { ReadGate } from '#tool/read-gate.ts';
import { ResultCache } from '#tool/result-cache.ts';
import {
  createCacheable,
  type CacheableResponse,
  Compressor,
  createEncoder,
} from '#http/responses/cacheable-response.ts';

const gzipAsync = promisify<Buffer, Buffer>(gzip);
const TEXT = 'a message '.repeat(1000);
const CALLER = { clientKey: 'x' };
const FORM = { type: 'text/plain', cacheControl: 'no-cache' };

/** A cached text, and its responses. `state.compressed` counts the compressions. */
function setUp(text = TEXT) {
  const state = { revision: 1, text, made: 0, compressed: 0, whileCompressing: (): void => undefined };
  const cache = new ResultCache({
    workspace: {
      store: { revision: () => state.revision },
      recordCursor: async (_, cursor) => cursor,
      now: () => 0,
    },
    gate: new ReadGate({ atOnce: 2 }),
  });
  const { encode } = createEncoder(
    (result) =>
      createCacheable({ ...FORM, link: '<x>; rel="next"' }, { text: result.text }, { 'X-Common': 'x' }),
    new Compressor((body) => {
      state.compressed++;
      state.whileCompressing();
      return gzipAsync(body);
    }),
  );
  const result = async (): Promise<CachedResult> =>
    cache.get({
      caller: CALLER,
      keyPrefix: 'a key',
      input: {},
      make: () => {
        state.made++;
        return Promise.resolve({ output: {}, text: state.text });
      },
    });
  const read = async (acceptEncoding?: string): Promise<CacheableResponse> =>
    encode(await result(), acceptEncoding, CALLER);
  return { state, cache, encode, result, read };
}

for (const [form, acceptEncoding] of Object.entries({ plain: undefined, compressed: 'gzip' }))
  test(`the ${form} form keeps the memory of its bytes only`, async () => {
    for (const length of [1, 20, 200, 2000]) {
      const { body } = await setUp('0123456789'.repeat(length)).read(acceptEncoding);
      assert.equal(body.buffer.byteLength, body.length);
    }
  });

test('requests at the same time share one compression, later ones get its result at once', async () => {
  const { state, encode, result, read } = setUp();
  const responses = await Promise.all(Array.from({ length: 20 }, () => read('gzip')));
  assert.equal(new Set(responses).size, 1);
  assert.equal(await encode(await result(), 'br, gzip', CALLER), responses[0]);
  assert.deepEqual([state.made, state.compressed], [1, 1]);
});

test('a cache that is cleared while a text is compressed does not keep the response', async () => {
  const { state, cache, read } = setUp();
  state.whileCompressing = () => {
    cache.clear();
  };
  assert.equal(gunzipSync((await read('gzip')).body).toString(), TEXT);
  assert.equal(cache.size, 0);
  await read('gzip');
  assert.equal(state.compressed, 2);
});

test('the compressed form counts in the size of the cache', async () => {
  const { cache, read } = setUp();
  const plain = await read();
  const { size } = cache;
  await read('gzip');
  assert.ok(cache.size >= size + plain.body.length);
});

for (const [size, compressions] of [
  [1023, 0],
  [1024, 1],
] as const) {
  test(`a body of ${size} bytes is compressed ${compressions} times`, async () => {
    const { state, read } = setUp('x'.repeat(size));
    const { headers } = await read('gzip');
    assert.equal(headers['Content-Encoding'], compressions === 0 ? undefined : 'gzip');
    assert.equal(headers['Vary'], 'Accept-Encoding');
    assert.equal(state.compressed, compressions);
  });
}

for (const [what, compress] of Object.entries({
  'does not make smaller': async (body: Buffer) => randomBytes(body.length),
  'fails on': () => Promise.reject(new Error('out of memory')),
}))
  test(`a body that compression ${what} is sent as it is, after one attempt`, async () => {
    const { result } = setUp();
    let attempts = 0;
    const { encode } = createEncoder(
      ({ text }) => createCacheable(FORM, { text }, {}),
      new Compressor((body) => {
        attempts++;
        return compress(body);
      }),
    );
    const plain = await encode(await result(), undefined, CALLER);
    for (let n = 0; n < 3; n++) assert.equal(await encode(await result(), 'gzip', CALLER), plain);
    assert.equal(attempts, 1);
  });

test('the largest page stays in the cache in both forms', async () => {
  const { state, read } = setUp(JSON.stringify(Array(100).fill('\u{1F600}'.repeat(8000) + ' '.repeat(600))));
  for (const header of [undefined, 'gzip', undefined, 'gzip']) await read(header);
  assert.deepEqual([state.made, state.compressed], [1, 1]);
});

test('a third compression at the same time is not made, and its body is compressed by a later request', async () => {
  const finish: (() => void)[] = [];
  const compressor = new Compressor(
    (body) =>
      new Promise((resolve) => {
        finish.push(() => {
          resolve(gzipAsync(body));
        });
      }),
  );
  const { encode } = createEncoder((result) => createCacheable(FORM, { text: result.text }, {}), compressor);
  const results = await Promise.all(
    [setUp('a'.repeat(2000)), setUp('b'.repeat(2000)), setUp()].map((one) => one.result()),
  );
  const [first, second] = results.slice(0, 2).map((result) => encode(result, 'gzip', CALLER));
  const refused = await encode(results[2]!, 'gzip', CALLER);
  assert.equal(refused.headers['Content-Encoding'], undefined);
  assert.deepEqual(compressor.counts, { running: 2, skipped: 1 });
  for (const end of finish) end();
  for (const response of [first, second]) assert.equal((await response)?.headers['Content-Encoding'], 'gzip');
  const later = encode(results[2]!, 'gzip', CALLER);
  finish.at(-1)?.();
  assert.equal((await later).headers['Content-Encoding'], 'gzip');
});
