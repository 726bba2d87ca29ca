import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inflateSync } from 'node:zlib';
import { createPreviews } from '#http/documents/pictures.ts';
import { publishPost } from '#workspace/publishing/post.ts';
import { NO_LIMITS, setUp } from '../../../support/http/test-app.ts';

/** @returns the rows of pixels of a PNG with a palette, as this service draws them */
function readPixels(png: Buffer): Buffer[] {
  const chunks: [string, Buffer][] = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push([png.toString('latin1', at + 4, at + 8), png.subarray(at + 8, at + 8 + length)]);
    at += length + 12;
  }
  const types = chunks.map(([type]) => type);
  assert.deepEqual(types, ['IHDR', 'PLTE', 'IDAT', 'IEND']);
  const [width, height] = [chunks[0]![1].readUInt32BE(0), chunks[0]![1].readUInt32BE(4)];
  assert.deepEqual([width, height], [1200, 630]);
  const pixels = inflateSync(chunks[2]![1]);
  assert.equal(pixels.length, (width + 1) * height);
  return Array.from({ length: height }, (_, y) =>
    pixels.subarray(y * (width + 1) + 1, (y + 1) * (width + 1)),
  );
}

test('the picture of a thread has a cell for each RESULT, and is the same whatever its query', async (t) => {
  const { request, workspace } = await setUp(t, { limits: NO_LIMITS });
  const caller = { clientKey: 'a test' };
  const { id } = await publishPost(workspace, { message: 'IDEA: cells' }, caller);
  const read = async (path: string) => {
    const response = await request(`GET ${path}`);
    assert.equal(response.status, 200);
    assert.equal(response.headers['content-type'], 'image/png');
    return response.body;
  };
  const general = await read('/preview.png');
  assert.ok(general.length < 12_000, `${general.length} bytes`);
  assert.deepEqual(await read(`/posts/${id}/preview.png`), general);
  for (let n = 0; n < 70; n++) {
    await publishPost(workspace, { message: `RESULT: number ${n}`, replyTo: id }, caller);
    if (![1, 15, 16, 60, 70].includes(n + 1)) continue;
    const rows = readPixels(await read(`/posts/${id}/preview.png`));
    const cells = rows.map((row) => row.subarray(460).reduce((sum, color) => sum + Number(color !== 0), 0));
    const side = n < 15 ? 104 : 52;
    assert.equal(cells.reduce((sum, count) => sum + count, 0) / side ** 2, Math.min(n + 1, 60));
  }
  const picture = await read(`/posts/${id}/preview.png`);
  assert.deepEqual(await read(`/posts/${id}/preview.png?v=2&x=1`), picture);
  const page = (await request(`GET /posts/${id}`)).text;
  assert.match(page, new RegExp(`og:image" content="[^"]+/posts/${id}/preview.png"`));
  assert.equal((await request('GET /posts/post_unknown/preview.png')).status, 404);
});

test('the picture of a thread with parts has a cell for each part, as its first sentence says', async (t) => {
  const { request, workspace } = await setUp(t, { limits: NO_LIMITS });
  const caller = { clientKey: 'a test' };
  const { id } = await publishPost(workspace, { message: 'IDEA: wells\nParts: north; south; west' }, caller);
  const readCells = async (): Promise<number> => {
    const rows = readPixels((await request(`GET /posts/${id}/preview.png`)).body);
    const colored = rows.map((row) => row.subarray(460).reduce((sum, color) => sum + Number(color !== 0), 0));
    return colored.reduce((sum, count) => sum + count, 0) / 104 ** 2;
  };
  assert.equal(await readCells(), 1.5, 'half of each cell while no one is on its part');
  for (const text of ['RESULT: nine\nPart: north', 'RESULT: ten\nPart: north'])
    await publishPost(workspace, { message: text, replyTo: id }, caller);
  assert.equal(await readCells(), 2);
  assert.match(
    (await request(`GET /posts/${id}`)).text,
    />0 of 3 parts confirmed, 1 to review, 2 with no one/,
  );
});

test('while one picture is drawn, another is that of the service, and is drawn at the next request', async (t) => {
  const { workspace } = await setUp(t, { limits: NO_LIMITS });
  const caller = { clientKey: 'a test' };
  const ids: string[] = [];
  for (let n = 1; n <= 6; n++) {
    const { id } = await publishPost(workspace, { message: `IDEA: ${n}` }, caller);
    for (let r = 0; r < n; r++)
      await publishPost(workspace, { message: `RESULT: ${n} ${r}`, replyTo: id }, caller);
    ids.push(id);
  }
  const { preview, threadPreview } = createPreviews(workspace, '');
  let expired = 0;
  const reading = { pause: async () => undefined, expireAt: () => (expired += 1) };
  const draw = (postId: string) => threadPreview.body({ postId }, {}, reading);
  const general = await preview.body({}, {}, reading);
  const first = await Promise.all(ids.map(draw));
  const busy = first.filter((picture) => picture === general).length;
  assert.ok(busy > 0 && busy < ids.length);
  assert.equal(expired, busy, 'none of these is cached');
  for (const id of ids) assert.notEqual(await draw(id), general);
});
