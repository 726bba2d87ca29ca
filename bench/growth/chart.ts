import { formatCount } from '../row.ts';
import type { Curve } from './curve.ts';
import { Scale } from './scale.ts';

const [WIDTH, HEIGHT] = [920, 460];
const FRAME = { left: 90, right: 540, top: 56, bottom: 400 };

/** Marks that are distinguishable without colour. */
const MARKS = [
  (x: number, y: number) => `<circle cx="${x}" cy="${y}" r="4"/>`,
  (x: number, y: number) => `<rect x="${x - 4}" y="${y - 4}" width="8" height="8"/>`,
  (x: number, y: number) => `<path d="M${x} ${y - 5}l5 9h-10z"/>`,
  (x: number, y: number) => `<path d="M${x} ${y - 5}l5 5l-5 5l-5-5z"/>`,
  (x: number, y: number) => `<path d="M${x} ${y + 5}l5-9h-10z"/>`,
];

const STYLE = `
  svg { color: #1f2328; background: #ffffff; font: 13px system-ui, sans-serif; --grid: #d1d9e0;
    --c0: #0969da; --c1: #1a7f37; --c2: #8250df; --c3: #9a6700; --c4: #bc4c00; --c5: #cf222e; --c6: #a40e26; }
  @media (prefers-color-scheme: dark) { svg { color: #f0f6fc; background: #0d1117; --grid: #3d444d;
    --c0: #4493f8; --c1: #3fb950; --c2: #ab7df8; --c3: #d29922; --c4: #db6d28; --c5: #f85149;
    --c6: #ff9492; } }
  text { fill: currentColor; } .title { font-size: 16px; font-weight: 600; } .grid { stroke: var(--grid); }
  .curve { fill: none; stroke-width: 2; } .peer { stroke-dasharray: 6 4; }
`;

function formatDuration(microseconds: number): string {
  return microseconds < 1000
    ? `${microseconds} us`
    : microseconds < 1_000_000
      ? `${microseconds / 1000} ms`
      : `${microseconds / 1_000_000} s`;
}

/**
 * Draws the cost of each operation by the size of the store, both axes logarithmic.
 * @param peers drawn dashed
 */
export function drawChart(ours: readonly Curve[], peers: readonly Curve[]): string {
  const curves = [...ours, ...peers];
  const points = curves.flatMap((one) => one.points);
  const x = new Scale(
    points.map(({ size }) => size),
    FRAME.left,
    FRAME.right,
  );
  const y = new Scale(
    points.map(({ microseconds }) => microseconds),
    FRAME.bottom,
    FRAME.top,
  );
  const middle = (FRAME.top + FRAME.bottom) / 2;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}"
  role="img" aria-label="Cost of an operation by the size of the store">
<style>${STYLE}</style>
<text class="title" x="${FRAME.left}" y="28">The cost of an operation by the size of the store</text>
${x.powers
  .map(
    (size) =>
      `<path class="grid" d="M${x.at(size)} ${FRAME.top}V${FRAME.bottom}"/>` +
      `<text x="${x.at(size)}" y="${FRAME.bottom + 20}" text-anchor="middle">${formatCount(size)}</text>`,
  )
  .join('\n')}
${y.powers
  .map(
    (time) =>
      `<path class="grid" d="M${FRAME.left} ${y.at(time)}H${FRAME.right}"/>` +
      `<text x="${FRAME.left - 8}" y="${y.at(time) + 4}" text-anchor="end">${formatDuration(time)}</text>`,
  )
  .join('\n')}
<text x="${(FRAME.left + FRAME.right) / 2}" y="${FRAME.bottom + 44}" text-anchor="middle">posts stored</text>
<text transform="translate(22 ${middle}) rotate(-90)" text-anchor="middle">time for each operation</text>
${curves.map((curve, index) => drawCurve(curve, index, index >= ours.length, x, y)).join('\n')}
</svg>
`;
}

function drawCurve({ name, points }: Curve, index: number, isPeer: boolean, x: Scale, y: Scale): string {
  const colour = `var(--c${index})`;
  const mark = MARKS[index % MARKS.length]!;
  const coordinates = points.map(({ size, microseconds }) => [x.at(size), y.at(microseconds)] as const);
  const [left, line] = [FRAME.right + 24, FRAME.top + 16 + index * 26];
  const path = (d: string): string =>
    `<path class="curve${isPeer ? ' peer' : ''}" stroke="${colour}" d="${d}"/>`;
  const marks = [...coordinates, [left + 14, line] as const].map(([px, py]) => mark(px, py));
  return [
    path(`M${coordinates.map((pair) => pair.join(' ')).join('L')}`),
    path(`M${left} ${line}h28`),
    `<g fill="${colour}">${marks.join('')}</g>`,
    `<text x="${left + 36}" y="${line + 4}">${name}${isPeer ? ', GET the newest 50' : ''}</text>`,
  ].join('\n');
}
