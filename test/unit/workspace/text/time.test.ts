import assert from 'node:assert/strict';
import test from 'node:test';
import { ceilToMicrosecond, floorToMicrosecond, isDay, justBefore } from '#workspace/text/time.ts';
import { IS_THOROUGH } from '../../../support/thorough.ts';

const FIRST = '0000-01-01T00:00:00.000000Z';
const LAST = '9999-12-31T23:59:59.999999Z';

/** By what is read: the texts, and the timestamp of each, or the two between which it is. */
const READ: Readonly<Record<string, readonly (readonly [text: string, later: string, earlier?: string])[]>> =
  {
    'a timestamp of a record is returned unchanged': [
      ['2026-11-21T10:49:32.123456Z', '2026-11-21T10:49:32.123456Z'],
      [FIRST, FIRST],
      [LAST, LAST],
    ],
    'a fraction may be left out or have any number of digits': [
      ['2026-11-21T10:49:32Z', '2026-11-21T10:49:32.000000Z'],
      ['2026-11-21T10:49:32.1Z', '2026-11-21T10:49:32.100000Z'],
      ['2026-11-21T10:49:32.123456000000000000000000000000Z', '2026-11-21T10:49:32.123456Z'],
      [`2026-11-21T10:49:32.${'0'.repeat(43)}Z`, '2026-11-21T10:49:32.000000Z'],
    ],
    't and z are accepted in lower case': [['2026-11-21t10:49:32z', '2026-11-21T10:49:32.000000Z']],
    'an offset is applied, across days, months and years too': [
      ['2026-11-21T10:49:32.123456+00:00', '2026-11-21T10:49:32.123456Z'],
      ['2026-11-21T10:49:32.123456-00:00', '2026-11-21T10:49:32.123456Z'],
      ['2026-11-21T10:49:32.123456+05:30', '2026-11-21T05:19:32.123456Z'],
      ['2026-11-21T10:49:32.123456-03:30', '2026-11-21T14:19:32.123456Z'],
      ['2026-11-21T00:00:00+23:59', '2026-11-20T00:01:00.000000Z'],
      ['2026-11-21T23:59:00-23:59', '2026-11-22T23:58:00.000000Z'],
    ],
    '29 February is accepted in leap years': [
      ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000000Z'],
      ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000000Z'],
      ['0000-02-29T00:00:00Z', '0000-02-29T00:00:00.000000Z'],
    ],
    'a leap second is read as the next second': [
      ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000000Z'],
      ['2016-12-31T18:59:60.5-05:00', '2017-01-01T00:00:00.500000Z'],
    ],
    'an instant that its offset moves out of the years 0000 to 9999 becomes the first or last timestamp': [
      ['0000-01-01T00:00:00+00:01', FIRST],
      ['9999-12-31T23:59:59-00:01', LAST],
      ['9999-12-31T23:59:60Z', LAST],
      ['9999-12-31T23:59:59.9999999Z', LAST],
    ],
    'an instant between two microseconds is rounded up by ceilToMicrosecond and down by floorToMicrosecond': [
      ['2026-11-21T10:49:32.1234561Z', '2026-11-21T10:49:32.123457Z', '2026-11-21T10:49:32.123456Z'],
      [
        `2026-11-21T10:49:32.9${'0'.repeat(35)}1Z`,
        '2026-11-21T10:49:32.900001Z',
        '2026-11-21T10:49:32.900000Z',
      ],
      ['2026-12-31T23:59:59.9999999Z', '2027-01-01T00:00:00.000000Z', '2026-12-31T23:59:59.999999Z'],
      ['2024-02-29T00:59:59.9999991+01:00', '2024-02-29T00:00:00.000000Z', '2024-02-28T23:59:59.999999Z'],
    ],
    'a space in place of the sign of an offset is a plus, since an unencoded plus in a query decodes to it': [
      ['2026-11-21T10:49:32 02:00', '2026-11-21T08:49:32.000000Z'],
    ],
  };

for (const [name, rows] of Object.entries(READ))
  test(name, () => {
    for (const [text, later, earlier = later] of rows)
      assert.deepEqual([ceilToMicrosecond(text), floorToMicrosecond(text)], [later, earlier], text);
  });

test('offsets across midnight agree with Date on every day from 1900 to 2100', () => {
  const timestampAt = (ms: number): string => `${new Date(ms).toISOString().slice(0, -1)}000Z`;
  const step = (IS_THOROUGH ? 1 : 27) * 86_400_000;
  for (let day = Date.UTC(1900, 0, 1); day < Date.UTC(2101, 0, 1); day += step) {
    const text = timestampAt(day + 43_200_000).slice(0, -1);
    assert.equal(ceilToMicrosecond(`${text}-12:00`), timestampAt(day + 86_400_000));
    assert.equal(ceilToMicrosecond(`${text}+12:01`), timestampAt(day - 60_000));
  }
});

const REFUSED: Record<string, string[]> = {
  'a date only': ['2026-11-21', '2026-11-21Z'],
  'an empty or blank text': ['', ' '],
  'a date-time without an offset': ['2026-11-21T10:49:32', '2026-11-21T10:49:32.123456'],
  'a space that does not replace the sign of an offset': [
    ...['2026-11-21T10:49:32 Z', '2026-11-21T10:49:32  02:00', '2026-11-21T10:49:32 +02:00'],
    ...['2026-11-21T10:49:32+ 02:00', '2026-11-21T10:49:32 .5+02:00', '2026-11-21T10:49:32\u00A002:00'],
    ...['2026-11-21T10:49:32\t02:00', '2026-11-21T10:49:32 0200', '2026-11-21T10:49:32 02:00 '],
  ],
  'a space or underscore in place of the T': ['2026-11-21 10:49:32Z', '2026-11-21_10:49:32Z'],
  'a day that does not exist': [
    ...['2026-02-30T00:00:00Z', '2026-02-29T00:00:00Z', '1900-02-29T00:00:00Z', '2100-02-29T00:00:00Z'],
    ...['2026-04-31T00:00:00Z', '2026-00-01T00:00:00Z', '2026-13-01T00:00:00Z'],
    ...['2026-01-00T00:00:00Z', '2026-01-32T00:00:00Z'],
  ],
  'a time that does not exist': ['2026-11-21T24:00:00Z', '2026-11-21T10:60:00Z', '2026-11-21T10:49:61Z'],
  'an offset that does not exist or is not written ±hh:mm': [
    ...['2026-11-21T10:49:32+24:00', '2026-11-21T10:49:32+01:60', '2026-11-21T10:49:32+0100'],
    ...['2026-11-21T10:49:32+01', '2026-11-21T10:49:32+1:00', '2026-11-21T10:49:32Z+01:00'],
    ...['2026-11-21T10:49:32\u221201:00', '2026-11-21T10:49:32UTC'],
  ],
  'another notation': [
    ...['2026-11-21T10:49Z', '20261121T104932Z', '2026-W47-6T10:49:32Z', '2026-325T10:49:32Z'],
    ...['+002026-11-21T10:49:32Z', '-2026-11-21T10:49:32Z', '26-11-21T10:49:32Z', '2026-1-21T10:49:32Z'],
    ...['2026-11-21T1:49:32Z', '1795258172', '1795258172123', 'Sat, 21 Nov 2026 10:49:32 GMT', 'now'],
    ...['null', '2026-11-21T10:49:32Z[UTC]'],
  ],
  'a fraction without digits, or after a comma': [
    ...['2026-11-21T10:49:32.Z', '2026-11-21T10:49:32,5Z', '2026-11-21T10:49:32.1.2Z'],
    '2026-11-21T10:49:32.1e3Z',
  ],
  'text before or after the date-time': [
    ...[' 2026-11-21T10:49:32Z', '2026-11-21T10:49:32Z ', '2026-11-21T10:49:32Z\n', 'x2026-11-21T10:49:32Z'],
    '2026-11-21T10:49:32Z2026-11-21T10:49:32Z',
  ],
  'digits of another script': [
    '\u0662\u0660\u0662\u0666-11-21T10:49:32Z',
    '\uFF12\uFF10\uFF12\uFF16-11-21T10:49:32Z',
  ],
  'more than 64 characters': [`2026-11-21T10:49:32.${'0'.repeat(44)}Z`],
  '200 KB of adversarial text': [
    '0'.repeat(200_000),
    `2026-11-21T10:49:32.${'9'.repeat(200_000)}`,
    '2026-11-21T10:49:32Z'.repeat(10_000),
  ],
};

for (const [name, texts] of Object.entries(REFUSED))
  test(`refused: ${name}`, () => {
    for (const text of texts) {
      const read = [ceilToMicrosecond(text), floorToMicrosecond(text)];
      assert.deepEqual(read, [undefined, undefined], text.slice(0, 80));
    }
  });

test('a day is one of the calendar, in ten characters', () => {
  for (const text of ['2026-01-31', '2024-02-29', '0000-01-01', '9999-12-31']) assert.ok(isDay(text), text);
  for (const text of [
    ...['2026-02-30', '2026-13-01', '2026-00-10', '2026-1-1', '20260101', 'today', ''],
    ...['2026-01-01T00:00:00Z', '+2026-01-01'],
  ])
    assert.ok(!isDay(text), text);
});

test('one microsecond before a timestamp is another one', () => {
  assert.equal(justBefore('2026-01-01T00:00:00.000001Z'), '2026-01-01T00:00:00.000000Z');
  assert.equal(justBefore('2026-01-01T00:00:00.100000Z'), '2026-01-01T00:00:00.099999Z');
  assert.equal(justBefore('2026-01-01T00:00:00.000000Z'), '2025-12-31T23:59:59.999999Z');
});
