import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError, readConfig } from '#settings/config.ts';
import { temporaryFolder } from '../../support/folder.ts';

const [NEW, OLD] = [randomBytes(32), randomBytes(32)];

const read = (text: string): readonly Buffer[] | undefined =>
  readConfig({ VISITOR_SECRET: text }).visitorSecrets;

test('VISITOR_SECRET is one value or two, in base64 or in files, the newest first', async (t) => {
  const folder = await temporaryFolder(t);
  const [both, old] = [join(folder, 'both'), join(folder, 'old')];
  writeFileSync(both, `${NEW.toString('base64')}\n${OLD.toString('base64')}\n`);
  writeFileSync(old, OLD.toString('base64'));
  assert.equal(readConfig({}).visitorSecrets, undefined);
  assert.deepEqual(read(NEW.toString('base64')), [NEW]);
  assert.deepEqual(read(NEW.toString('base64url')), [NEW]);
  assert.deepEqual(read(`${NEW.toString('base64')},${OLD.toString('base64')}`), [NEW, OLD]);
  assert.deepEqual(read(`${NEW.toString('base64')}, ${old}`), [NEW, OLD]);
  assert.deepEqual(read(both), [NEW, OLD]);
});

test('a VISITOR_SECRET of another form is refused, and the message does not repeat it', async (t) => {
  const folder = await temporaryFolder(t);
  const empty = join(folder, 'empty');
  writeFileSync(empty, '\n');
  const one = NEW.toString('base64');
  const cases: [text: string, message: RegExp][] = [
    ['correct horse battery staple', /^VISITOR_SECRET must be 32 bytes in base64/],
    [randomBytes(31).toString('base64'), /must be 32 bytes in base64/],
    [NEW.toString('hex'), /must be 32 bytes in base64/],
    [join(folder, 'absent'), /or the path of a file with them\.$/],
    [folder, /path of a file/],
    [empty, /path of a file/],
    [`${one},${one},${one}`, /must be at most two values, the newest first\.$/],
  ];
  for (const [text, message] of cases) {
    assert.throws(
      () => read(text),
      (error) => error instanceof ConfigError && message.test(error.message) && !error.message.includes(text),
      text,
    );
  }
});
