import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');

/** A layer, such as `src/store/`, of which a name says nothing about the files in it, unless it only helps. */
const LAYER = /^src\/(?!message|runtime|tool|work\/)\w+\/$/;

test('the life of a write in docs/architecture.md names every file that a post passes', () => {
  const args = ['--import', 'tsx', 'bench/files.ts'];
  const [post = ''] = execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' }).split('\n\n');
  const files = [...post.matchAll(/^ {2}(\S+)$/gm)].map(([, file = '']) => `/${file}`);
  assert.ok(files.includes('/tools/post_message.ts'), post);
  const document = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
  const [, section = ''] = document.split('\n## The life of a write\n');
  const names = [...(section.split('\n## ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(
    ([, name = '']) => `/${name}`,
  );
  const isNamed = (file: string): boolean =>
    names.some(
      (name) =>
        file.endsWith(name) || (name.endsWith('/') && !LAYER.test(name.slice(1)) && file.includes(name)),
    );
  const unnamed = files.filter((file) => !isNamed(file));
  assert.deepEqual(unnamed, []);
});
