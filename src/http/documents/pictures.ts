import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { HttpWorkspace } from '#workspace/workspace.ts';
import { statesOf } from '#http/html/standings.ts';
import { readKnownThread } from '#workspace/reading/known-thread.ts';
import { recordNotFoundError } from '#workspace/service/errors.ts';
import type { Document } from '#http/responses/document.ts';
import { ICON } from '#workspace/service/service.ts';

/** A week, because the pictures change only with a new version. */
const ICON_CACHE_CONTROL = 'public, max-age=604800';

/** `ICON` as an ICO of 32 x 32 pixels in base64, for readers that do not show SVG. */
const FAVICON =
  'AAABAAEAICAAAAEAIABdAQAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAgAAAAIAgDAAAARKSKxgAAAD9QTFRF/sVc9+vMAAAAW15m' +
  'JDBM+NqeIzBMHy5Mr49W4bBZwruueHqAkntUv7isJDBM8uXLAAAAAAAAAAAAAAAAAAAAJu0/UQAAABV0Uk5T//8A/5//UhT/////' +
  '///+////////CNPGegAAALhJREFUeNqdk1sOxCAIAFHwUdvV+9921aaVVdRk58OkMkGxAFprRxQFiFwOgtY2TrFFWMSLAY5/Y1Aq' +
  'IN9xwBNgqnDDAr9fuIXAbwo8gboFxVMw4UwvpyRgYuAoPPn7U0CMM+MRTOownfDphTBWccDLIZa5FXwJGVNWLwpXDqtMVi5RwCbg' +
  'TFCVhbDOEJsg/81aZ63imAj+eQb/ryACUWoI1nStaVHsFwJan0C/gzPi9qO3H97N+H8BDEIu8nWvsvkAAAAASUVORK5CYII=';

export const FAVICON_PICTURE: Document = {
  type: 'image/x-icon',
  encoding: 'base64',
  cacheControl: ICON_CACHE_CONTROL,
  body: () => FAVICON,
};

export const ICON_PICTURE: Document = {
  summary: 'The icon of this service',
  type: 'image/svg+xml',
  cacheControl: ICON_CACHE_CONTROL,
  body: () => ICON,
};

// The pictures that other sites show beside a link: a lantern, and beside it a cell for each part of a
// thread, or else for each of its RESULTs. They show the progress that the page states first.

export const PREVIEW_PATH = '/preview.png';

const [WIDTH, HEIGHT] = [1200, 630];

const PALETTE = '25314d f5e6cc ffc55d fff3d1 74cf98 3d5a6b f2b866 f59fae 4a5570 84b7f6'.split(' ');
const [NIGHT, ROOF, LIGHT, FLAME, GREEN, DIM, AMBER, RED, GREY, BLUE] = PALETTE.keys();

type State = ReturnType<typeof statesOf>[number];

/** The colours of the upper and the lower half of a cell. */
const CELLS: Readonly<Record<State, readonly [number | undefined, number | undefined]>> = {
  confirmed: [GREEN, GREEN],
  partlyConfirmed: [DIM, GREEN],
  toReview: [DIM, DIM],
  unreviewed: [DIM, DIM],
  contested: [AMBER, DIM],
  underWay: [BLUE, BLUE],
  refuted: [RED, RED],
  free: [NIGHT, GREY],
};

/** Each row begins with the number of its filter (PNG, 9.2). */
const STRIDE = WIDTH + 1;

function fillRow(pixels: Buffer, y: number, from: number, to: number, color = 0): void {
  const start = Math.round(y) * STRIDE + 1;
  pixels.fill(color, start + Math.round(from), start + Math.round(to));
}

function fillCircle(pixels: Buffer, x: number, y: number, radius: number, color?: number): void {
  for (let row = -radius; row < radius; row++) {
    const half = Math.sqrt(radius ** 2 - (row + 0.5) ** 2);
    fillRow(pixels, y + row, x - half, x + half, color);
  }
}

/** Fills a trapezoid around a vertical axis, by half its width at the top and at the bottom. */
function fillTrapezoid(
  pixels: Buffer,
  x: number,
  [top, bottom]: readonly [number, number],
  [above, below]: readonly [number, number],
  color?: number,
): void {
  for (let y = top; y < bottom; y++) {
    const half = above + ((below - above) * (y - top)) / (bottom - top);
    fillRow(pixels, y, x - half, x + half, color);
  }
}

/** @param x the axis of the lantern */
function drawLantern(pixels: Buffer, x: number): void {
  fillCircle(pixels, x, 180, 60, ROOF);
  fillTrapezoid(pixels, x, [172, 258], [64, 132], ROOF);
  for (const side of [-1, 1]) fillCircle(pixels, x + side * 122, 258, 13, ROOF);
  fillTrapezoid(pixels, x, [245, 271], [122, 122], ROOF);
  fillTrapezoid(pixels, x, [273, 436], [90, 68], LIGHT);
  fillCircle(pixels, x, 352, 44, FLAME);
  for (const side of [-1, 1]) fillCircle(pixels, x + side * 84, 466, 15, ROOF);
  fillTrapezoid(pixels, x, [451, 481], [84, 84], ROOF);
}

function drawCells(pixels: Buffer, cells: readonly State[]): void {
  const [columns, pitch] = cells.length <= 15 ? [5, 130] : [10, 65];
  const rows = Math.ceil(cells.length / columns);
  const size = pitch * 0.8;
  for (const [index, state] of cells.entries()) {
    const left = 470 + (index % columns) * pitch;
    const top = Math.round((HEIGHT - rows * pitch) / 2 + Math.floor(index / columns) * pitch);
    const [upper, lower] = CELLS[state];
    for (let row = 0; row < size; row++)
      fillRow(pixels, top + row, left, left + size, row < size / 2 ? upper : lower);
  }
}

const compress = promisify(deflate);

/** @returns a PNG with a palette (PNG, third edition), as base64 */
async function drawPicture(cells: readonly State[]): Promise<string> {
  const pixels = Buffer.alloc(STRIDE * HEIGHT, NIGHT);
  drawLantern(pixels, cells.length === 0 ? WIDTH / 2 : 240);
  drawCells(pixels, cells);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(WIDTH, 0);
  head.writeUInt32BE(HEIGHT, 4);
  head.set([8, 3], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    toChunk('IHDR', head),
    toChunk('PLTE', Buffer.from(PALETTE.join(''), 'hex')),
    toChunk('IDAT', await compress(pixels)),
    toChunk('IEND', Buffer.alloc(0)),
  ]).toString('base64');
}

function toChunk(type: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(data.length + 12);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(type, 4, 'latin1');
  data.copy(chunk, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), data.length + 8);
  return chunk;
}

/** @param cacheControl of reads of the store */
export function createPreviews(
  workspace: HttpWorkspace,
  cacheControl: string,
): Record<'preview' | 'threadPreview', Document> {
  /** Pictures in base64, about 5 KB each, by the states of their cells. */
  const pictures = new LRUCache<string, string>({ max: 200 });
  let general: Promise<string> | undefined;
  let isDrawing = false;
  const drawGeneral = (): Promise<string> => (general ??= drawPicture([]));
  return {
    preview: {
      type: 'image/png',
      encoding: 'base64',
      cacheControl: ICON_CACHE_CONTROL,
      body: drawGeneral,
    },
    threadPreview: {
      type: 'image/png',
      encoding: 'base64',
      cacheControl,
      body: async ({ postId = '' }, _, { expireAt }) => {
        const asked = await workspace.store.read.find('post', postId);
        if (asked === undefined) throw recordNotFoundError('post', postId, 'the feed');
        const { progress, changesAt } = await readKnownThread(workspace, asked.record);
        // A WORK becomes overdue without a write.
        if (changesAt < Infinity) expireAt(changesAt);
        const shown = statesOf(progress).slice(0, 60);
        if (shown.length === 0) return drawGeneral();
        const key = shown.join();
        const known = pictures.get(key);
        if (known !== undefined) return known;
        if (isDrawing) {
          expireAt(workspace.now());
          return drawGeneral();
        }
        isDrawing = true;
        const picture = await drawPicture(shown).finally(() => (isDrawing = false));
        pictures.set(key, picture);
        return picture;
      },
    },
  };
}
