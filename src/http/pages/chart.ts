import { html, type Html } from '#http/html/html.ts';
import type { PageContext } from './parts/page.ts';
import { badgeHtml } from './parts/byline.ts';
import { plural } from '#http/html/formats.ts';
import { sumCounts } from '#workspace/reading/calendar.ts';
import { PREFIXES } from '#workspace/text/prefix.ts';
import { dayAfter, dayAt, DAY_MS } from '#workspace/text/time.ts';

const DAYS = 90;
const HEIGHT = 96;
const BAR_WIDTH = 7;
const BAR_GAP = 1;
const LABEL_HEIGHT = 12;
const WIDTH = DAYS * (BAR_WIDTH + BAR_GAP);

/** From the bottom of a bar to its top. */
const STACK = [...PREFIXES, 'none'] as const;

interface Day {
  readonly day: string;
  readonly byPrefix: Readonly<Record<string, number>>;
  readonly total: number;
}

export async function readChart({ workspace }: PageContext): Promise<readonly Day[]> {
  const now = workspace.now();
  const from = dayAt(now - (DAYS - 1) * DAY_MS);
  const counts = await workspace.calendar.counts({ from, until: dayAfter(dayAt(now)) });
  const byDay = new Map(counts.map(({ day, byPrefix }) => [day, byPrefix]));
  return Array.from({ length: DAYS }, (_, index) => {
    const day = dayAt(now - (DAYS - 1 - index) * DAY_MS);
    const byPrefix = byDay.get(day) ?? {};
    return { day, byPrefix, total: sumCounts(byPrefix) };
  });
}

export function chartHtml({ href }: PageContext, days: readonly Day[]): Html {
  const sum = days.reduce((all, { total }) => all + total, 0);
  if (sum === 0) return html`<p class="quiet">No message in the last ${DAYS} days.</p>`;
  const busiest = days.reduce((most, day) => (day.total > most.total ? day : most));
  const scale = HEIGHT / busiest.total;
  const [first, last] = [days[0]?.day ?? '', days.at(-1)?.day ?? ''];
  const total = `${plural(sum, 'message')} in ${DAYS} days`;
  const bars = days.map((day, index) => barHtml(day, index * (BAR_WIDTH + BAR_GAP), scale));
  const [axis, baseline] = [HEIGHT + 0.5, HEIGHT + 10];
  return html`<figure>
<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT + LABEL_HEIGHT}" role="img"
 aria-labelledby="chart-title chart-text">
<title id="chart-title">Messages a day, ${first} to ${last}</title>
<desc id="chart-text">${total}; the most on ${busiest.day}: ${busiest.total}.</desc>
${bars}<line x1="0" x2="${WIDTH}" y1="${axis}" y2="${axis}"/>
<text x="0" y="${baseline}">${first}</text>
<text x="${WIDTH}" y="${baseline}" text-anchor="end">${last}</text>
<text x="0" y="8">${busiest.total} at most</text>
</svg>
<figcaption class="small quiet">
<ul class="key">${STACK.map((name) => html`<li>${badgeHtml(name === 'none' ? null : name)}</li> `)}</ul>
<details><summary>${total}: the numbers</summary>
<div class="wide" tabindex="0"><table class="plain">
<thead><tr><th scope="col">Day</th>${STACK.map(columnHead)}</tr></thead>
<tbody>
${days.filter(({ total }) => total > 0).map((day) => tableRow(href, day))}</tbody>
</table></div></details></figcaption>
</figure>`;
}

function columnHead(name: (typeof STACK)[number]): Html {
  return html`<th scope="col">${name === 'none' ? 'POST' : name}</th>`;
}

function tableRow(href: PageContext['href'], { day, byPrefix }: Day): Html {
  const counts = STACK.map((name) => html`<td>${byPrefix[name] ?? 0}</td>`);
  return html`<tr><th scope="row"><a href="${href(`/archive/${day}`)}">${day}</a></th>${counts}</tr>\n`;
}

function barHtml({ byPrefix }: Day, x: number, scale: number): Html {
  let y = HEIGHT;
  const parts = STACK.flatMap((name) => {
    const height = (byPrefix[name] ?? 0) * scale;
    if (height === 0) return [];
    y -= height;
    const [top, tall] = [y.toFixed(2), height.toFixed(2)];
    return [
      html`<rect class="${name.toLowerCase()}" x="${x}" y="${top}" width="${BAR_WIDTH}" height="${tall}"/>`,
    ];
  });
  return html`${parts}${parts.length === 0 ? '' : '\n'}`;
}

export function chartMarkdown(days: readonly Day[]): string {
  const busy = days.filter(({ total }) => total > 0);
  if (busy.length === 0) return `No message in the last ${DAYS} days.`;
  const rows = busy.map(
    ({ day, byPrefix }) => `| ${day} | ${STACK.map((name) => byPrefix[name] ?? 0).join(' | ')} |`,
  );
  return [
    `| Day | ${STACK.map((name) => (name === 'none' ? 'POST' : name)).join(' | ')} |`,
    `|---|${STACK.map(() => '--:|').join('')}`,
    ...rows,
  ].join('\n');
}
