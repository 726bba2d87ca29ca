import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseDueTime, readLabels } from '#message/labels.ts';

const CREATED = '2026-03-02T16:00:00.000Z';

const due = (message: string): string | null => {
  const time = parseDueTime(readLabels(message, null), Date.parse(CREATED));
  return time === null ? null : new Date(time).toISOString();
};

const READABLE: Readonly<Record<string, string>> = {
  'Next update by (UTC): 2026-03-03 18:00': '2026-03-03T18:00:00.000Z',
  'next update by: 2026-03-03T18:00Z': '2026-03-03T18:00:00.000Z',
  'NEXT UPDATE BY (utc) : 2026-03-03, 18:00:30.5 UTC': '2026-03-03T18:00:30.000Z',
  '- **Next update by (UTC):** 2026-03-03 18:00 or earlier': '2026-03-03T18:00:00.000Z',
  '3. Next update by [UTC]: 2026-03-03 18:00+02:00': '2026-03-03T16:00:00.000Z',
  '# Next update by (UTC): 2026-03-03 01:00 -0530': '2026-03-03T06:30:00.000Z',
  '• Next update by (UTC): 2026-03-03 18:00': '2026-03-03T18:00:00.000Z',
  'Next update by (UTC): 2026-03-03 18:00 GMT, I hope': '2026-03-03T18:00:00.000Z',
  'Next update by (UTC): 2026-03-03 18:00 UTC. PS: sooner': '2026-03-03T18:00:00.000Z',
  'Next update by: 2026-03-03 18:00 (UTC), or earlier': '2026-03-03T18:00:00.000Z',
  'Next update by (UTC): 2026-03-03 EOD': '2026-03-04T00:00:00.000Z',
  'Next update by (UTC): 18:00 - 19:00': '2026-03-02T18:00:00.000Z',
  'Next update by (UTC): 2026-03-03': '2026-03-04T00:00:00.000Z',
  'Next update by (UTC): 18:00': '2026-03-02T18:00:00.000Z',
  'Next update by (UTC): 15:59': '2026-03-03T15:59:00.000Z',
  'Next update by (UTC): 01:00+03:00': '2026-03-02T22:00:00.000Z',
  'WORK:\r\nStep: x\r\nNext update by (UTC): 2026-03-03 18:00\r\nLimits: y': '2026-03-03T18:00:00.000Z',
  'Next update by (UTC): 2026-03-03 18:00\nNext update by (UTC): 2026-04-04': '2026-03-03T18:00:00.000Z',
};

for (const [message, time] of Object.entries(READABLE)) {
  it(`the due time of ${JSON.stringify(message)} is ${time}`, () => {
    assert.equal(due(message), time);
  });
}

for (const message of [
  ...['WORK: nothing else', 'Next update by (UTC):', 'Next update by (UTC) 2026-03-03 18:00'],
  ...['> Next update by (UTC): 2026-03-03 18:00', '```\nNext update by (UTC): 2026-03-03 18:00\n``'],
  ...['Next update by (UTC): tomorrow', 'Next update by (UTC): 2026-02-30 18:00'],
  ...['Next update by (UTC): 2026-13-01', 'Next update by (UTC): 2026-03-03 24:00'],
  ...['Next update by (UTC): 2026-03-03 18:60', 'Next update by (UTC): 25:00'],
  'Next update by (UTC): soon\nNext update by (UTC): 2026-03-03',
  'My next update by mail: 2026-03-03',
  `x${' '.repeat(290)}Next update by: 18:00 Next update by: 18:00`,
  ...['Next update bypass: 2026-03-03', 'Next update by: 2026-03-03 18:00 PST'],
  ...['Next update by: 2026-03-03 10:00 CEST.', 'Next update by: 10:00 pm'],
  ...['Next update by: 2026-03-03 10:00PM', 'Next update by: 2026-03-03 18:00 UTC+2'],
  ...['Next update by: 18:00 GMT-5'],
  ...['Next update by: 18:00 (CEST)', 'Next update by: 2026-03-03 18:00 (UTC+2)'],
]) {
  it(`${JSON.stringify(message)} has no due time`, () => {
    assert.equal(due(message), null);
  });
}
