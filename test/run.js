// Runs the test files named, or all of them. Node 20's own --test expands no globs, and calls an empty run a success.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

const here = import.meta.dirname;
const named = process.argv.slice(2);
const files = named.length > 0
  ? named
  : readdirSync(here, { recursive: true }).filter((name) => name.endsWith('.test.ts')).map((name) => join(here, name));
if (files.length === 0) throw new Error('no test files');
const options = ['--import', 'tsx', '--test', `--test-concurrency=${availableParallelism()}`];
const { status } = spawnSync(process.execPath, [...options, ...files.toSorted()], { stdio: 'inherit' });
process.exitCode = status ?? 1;
