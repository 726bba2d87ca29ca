import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { COMMANDS } from '#commands/commands.ts';
import { openFolderStore } from '#store/folder/folder-store.ts';
import { SETTING_NAMES } from '#settings/config.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { LAUNCHER } from '../../support/product.ts';
import { anOrigin } from '../../support/store/records.ts';
import { addPost } from '../../support/store/writes.ts';

const { version, engines } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8'),
) as { version: string; engines: { node: string } };

const HOMELESS = 'DATA_DIR is missing, and this user has no home folder for the default.';

interface Result {
  status: number | null;
  stdout: string;
  stderr: string;
}

function run(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  launcher = LAUNCHER,
  user: { readonly uid?: number } = {},
): Result {
  return spawnSync(process.execPath, [launcher, ...args], {
    ...user,
    encoding: 'utf8',
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'], DATA_DIR: join(tmpdir(), 'porchlight-absent'), ...env },
    input: '',
  });
}

for (const args of ['--version', '-v', 'version', 'hide --version', 'serve -v', 'stdio --version'])
  it(`${args} prints the version`, () => {
    const { status, stdout, stderr } = run(args.split(' '));
    assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: `${version}\n`, stderr: '' });
  });

for (const args of ['', '--help', '-h', 'help'])
  it(`the help of porchlight ${args} lists every command`, () => {
    const { status, stdout } = run(args.split(' ').filter(Boolean));
    assert.equal(status, 0);
    for (const name of ['serve', 'stdio', 'version', 'help', 'wait', 'salvage', ...Object.keys(COMMANDS)])
      assert.match(stdout, new RegExp(`^  ${name} .*  [a-zA-Z]`, 'm'));
  });

for (const args of ['serve --help', 'stdio -h', 'help serve'])
  it(`${args} lists every setting with its default`, () => {
    const { status, stdout } = run(args.split(' '));
    assert.equal(status, 0);
    for (const name of SETTING_NAMES)
      assert.match(stdout, new RegExp(`^  --${name.toLowerCase().replaceAll('_', '-')} `, 'm'));
    assert.match(stdout.replaceAll(/\s+/g, ' '), /the port to listen on \(default: 8787\)/);
  });

for (const args of ['erase --help', 'erase -h', 'help erase', 'erase ID --reason x -h'])
  it(`${args} lists the arguments of the command`, () => {
    const { status, stdout } = run(args.split(' '));
    assert.equal(status, 0);
    assert.match(stdout, /^Usage: porchlight erase ID --reason TEXT$/m);
    assert.match(stdout, /--data-dir/);
  });

const ADDRESS = 'postgres://user:PASSWORD@host.invalid/db';
const MISTYPED: [args: string[], reason: RegExp][] = [
  [[ADDRESS], /There is no command with this name/],
  [['help', ADDRESS], /There is no command with this name/],
  [['serve', ADDRESS], /Too many arguments/],
  [['stdio', ADDRESS], /Too many arguments/],
  [['stdio', '--tools', ADDRESS], /--tools must be core/],
  [['serve', '--tools', ADDRESS], /There is no flag with this name/],
  [['check', ADDRESS], /Too many arguments/],
  [['check', `--${ADDRESS}`], /There is no flag with this name/],
  [['check', `--databse-url=${ADDRESS}`], /There is no flag with this name/],
  [['serve', '--data-dir', ADDRESS], /DATA_DIR must be a folder/],
  [['check', '--data-dir', ADDRESS], /DATA_DIR must be a folder/],
  [['check', '--data-dir', 'postgres:user:PASSWORD@host/db'], /DATA_DIR must be a folder/],
  [['check', '--database-url', 'user:PASSWORD@host/db'], /DATABASE_URL must be the URL/],
  [['check', '--data-dir', ADDRESS.toUpperCase()], /DATA_DIR must be a folder/],
  [['import', ADDRESS], /cannot be read/],
  [['salvage', ADDRESS, '--to', 'x'], /cannot be read/],
  [['salvage', '.', '--to', ADDRESS], /there is no store|cannot be created/],
  [['wait', ADDRESS], /URL must begin with http/],
  [['wait', 'http://user:PASSWORD@host.invalid'], /URL must begin with http/],
  [['wait', 'http://host.invalid', '--for', ADDRESS], /--for must be a whole number/],
];

for (const [args, reason] of MISTYPED)
  it(`an error message does not repeat an argument that may hold a password: ${args.join(' ')}`, () => {
    const { status, stdout, stderr } = run(args);
    assert.notEqual(status, 0);
    assert.match(stderr, reason);
    assert.doesNotMatch(stdout + stderr, /PASSWORD/);
    assert.doesNotMatch(stderr, /^ {4}at /m);
  });

for (const [node, starts] of [
  ['16.20.2', false],
  ['18.20.8', false],
  ['20.18.3', false],
  ['20.19.0', true],
  ['22.0.0', true],
] as const)
  it(`Node ${node} ${starts ? 'starts the program' : 'prints the required version and exits'}`, () => {
    const fake = `Object.defineProperty(process,'versions',{value:{...process.versions,node:'${node}'}})`;
    const { status, stdout, stderr } = run(['version'], {
      NODE_OPTIONS: `--import=data:text/javascript,${fake}`,
    });
    if (starts) assert.equal(stdout, `${version}\n`);
    else {
      assert.equal(status, 1);
      assert.equal(stderr, `Porchlight needs Node 20.19 or later; this is v${node}.\n`);
    }
  });

it('the launcher and package.json require the same version of Node', () => {
  assert.equal(engines.node, '>=20.19');
});

it('a stdio server without flags starts without loading commander', async (test) => {
  const folder = await temporaryFolder(test);
  const printModules = `import{Module}from'node:module';process.on('exit',()=>console.error(Object.keys(Module._cache).join()))`;
  const settings = { DATA_DIR: folder, NODE_OPTIONS: `--import=data:text/javascript,${printModules}` };
  // In the package commander is a chunk without a name.
  const source = join(import.meta.dirname, '../../../bin/porchlight.js');
  assert.doesNotMatch(run(['stdio'], settings, source).stderr, /node_modules\/commander/);
  assert.match(run(['stdio', '--log-level', 'info'], settings, source).stderr, /node_modules\/commander/);
  assert.ok(readdirSync(folder).includes('log.jsonl'));
});

it('an operator command leaves expired keys to the servers, since its clock may be wrong', async (t) => {
  const folder = await temporaryFolder(t);
  let time = Date.now() - 3 * 86_400_000;
  const options = { folder, clock: { now: () => time }, report: () => undefined };
  const server = await openFolderStore(options);
  t.after(() => server.close());
  await addPost(server, 'expired', anOrigin('v'));
  time = Date.now();
  await addPost(server, 'of today', anOrigin('v'));
  const { status } = run(['check', '--data-dir', folder]);
  assert.equal(status, 0);
  assert.equal(readdirSync(join(folder, 'keys')).length, 2);
  // A server believes the jump of three days a day after it has seen it.
  for (const days of [0, 1]) {
    time += days * 86_400_000;
    const next = await openFolderStore(options);
    t.after(() => next.close());
  }
  assert.equal(readdirSync(join(folder, 'keys')).length, 1);
});

it('a user without a home folder has to name DATA_DIR', async (test) => {
  const homeless = `import os from'node:os';os.homedir=()=>{throw new Error('ENOENT')}`;
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(homeless)}` };
  const { status, stderr } = run(['check'], { ...env, DATA_DIR: '' });
  assert.deepEqual([status, stderr.split('\n')[0]], [2, HOMELESS]);
  assert.equal(run(['stdio'], { ...env, DATA_DIR: await temporaryFolder(test) }).status, 0);
});

for (const command of ['serve', 'stdio', 'check', 'status', 'repair'])
  it(`${command} on a file in place of a folder says which settings name a folder`, () => {
    const { status, stderr } = run([command], { DATA_DIR: LAUNCHER });
    assert.equal(status, 1);
    assert.match(stderr, /ENOTDIR.*\. DATA_DIR and KEYS_DIR must each name a folder\.\n$/);
  });

const FIRST_FREE_PORT = '/proc/sys/net/ipv4/ip_unprivileged_port_start';
/** A container may give low ports to any user. */
const areLowPortsFree = !existsSync(FIRST_FREE_PORT) || Number(readFileSync(FIRST_FREE_PORT)) <= 80;
const skip = process.getuid?.() !== 0 || areLowPortsFree;

it('a port that needs root is refused with a remedy', { skip }, async (t) => {
  const nobody = 65_534;
  const folder = await temporaryFolder(t);
  await chmod(folder, 0o777);
  const { status, stderr } = run(['serve'], { DATA_DIR: folder, PORT: '80' }, LAUNCHER, { uid: nobody });
  assert.equal(status, 1);
  assert.match(stderr, /listen EACCES.*: set another PORT or METRICS_PORT\.\n$/);
});
