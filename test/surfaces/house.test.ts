import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');

/** Lines that each room may have. A commit that needs more raises the cap, and says why. */
const CAPS: Readonly<Record<string, number>> = {
  'src/cli': 587,
  'src/commands': 2153,
  'src/demo': 311,
  'src/http': 9213,
  'src/mcp': 2232,
  'src/message': 1542,
  'src/private': 653,
  'src/runtime': 145,
  'src/server': 1333,
  'src/settings': 381,
  'src/store/engine': 857,
  'src/store/folder': 4156,
  'src/store/port': 691,
  'src/store/postgres': 2862,
  'src/tool': 1264,
  'src/work': 3954,
  'src/workspace': 10444,
  tools: 385,
};

function linesIn(room: string): number {
  const files = readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' });
  const texts = files
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(ROOT, room, name), 'utf8'));
  return texts.reduce((sum, text) => sum + text.split('\n').length - 1, 0);
}

for (const [room, cap] of Object.entries(CAPS))
  test(`${room} has at most ${cap} lines`, () => {
    const lines = linesIn(room);
    assert.ok(
      lines <= cap,
      `${lines} lines: remove some, or raise CAPS of this test in a commit that says why`,
    );
  });

test('every room of the source has a cap', () => {
  const capped = Object.keys(CAPS);
  const entries = readdirSync(join(ROOT, 'src'), { withFileTypes: true });
  const rooms = entries.filter((entry) => entry.isDirectory()).map(({ name }) => `src/${name}`);
  const uncapped = rooms.filter((room) => !capped.some((one) => one === room || one.startsWith(`${room}/`)));
  assert.deepEqual(uncapped, []);
});

test('the dependencies are the packages that the source imports', () => {
  const files = ['src', 'tools'].flatMap((room) =>
    readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' }).map((name) => join(room, name)),
  );
  const texts = [...files.filter((name) => name.endsWith('.ts')), 'bin/porchlight.js'].map((name) =>
    readFileSync(join(ROOT, name), 'utf8'),
  );
  const IMPORT = /(?:^import (?!type)[^;]*? from |import\()'((?:@[\w-]+\/)?[a-z][\w.-]*)[^']*'/gm;
  const imported = texts.flatMap((text) => [...text.matchAll(IMPORT)].map(([, name = '']) => name));
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const used = [...new Set(imported)].filter((name) => name !== 'node').sort();
  assert.deepEqual(Object.keys(dependencies), used);
});
