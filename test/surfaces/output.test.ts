import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import test from 'node:test';
import { LAUNCHER } from '../support/product.ts';

for (const args of [['version'], ['--help'], ['wait', '--help']])
  test(`${args.join(' ')} whose output cannot be written fails`, (t) => {
    const full = openSync('/dev/full', 'w');
    t.after(() => {
      closeSync(full);
    });
    const { status, stderr } = spawnSync(process.execPath, [LAUNCHER, ...args], {
      cwd: tmpdir(),
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    });
    assert.equal(status, 1);
    assert.match(stderr, /^The output could not be written: ENOSPC/);
  });
