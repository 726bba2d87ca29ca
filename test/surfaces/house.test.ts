import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');

/** Lines that each room may have. Whoever needs more raises the cap in a commit of its own that says why. */
const CAPS: Readonly<Record<string, number>> = {
  'src/cli': 692,
  'src/commands': 2457,
  'src/demo': 305,
  'src/http': 8795,
  'src/mcp': 2432,
  'src/message': 1234,
  'src/private': 745,
  'src/runtime': 69,
  'src/server': 1444,
  'src/settings': 385,
  'src/store/engine': 977,
  'src/store/folder': 4584,
  'src/store/port': 825,
  'src/store/postgres': 3417,
  'src/tool': 1338,
  'src/workspace': 11247,
  tools: 403,
};

function linesIn(room: string): number {
  const files = readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' });
  const texts = files
    // The texts of the demo are data.
    .filter((name) => name.endsWith('.ts') && !name.startsWith('threads/'))
    .map((name) => readFileSync(join(ROOT, room, name), 'utf8'));
  return texts.reduce((sum, text) => sum + text.split('\n').length - 1, 0);
}

for (const [room, cap] of Object.entries(CAPS))
  test(`${room} has at most ${cap} lines`, () => {
    const lines = linesIn(room);
    assert.ok(lines <= cap, `${lines} lines: remove some, or raise the cap in a commit that says why`);
  });

test('every room of the source has a cap', () => {
  const capped = Object.keys(CAPS);
  const rooms = readdirSync(join(ROOT, 'src')).map((name) => `src/${name}`);
  assert.deepEqual(
    rooms.filter((room) => !capped.some((one) => one === room || one.startsWith(`${room}/`))),
    [],
  );
});
