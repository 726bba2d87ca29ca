import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { loadTools } from '../../tools/load.ts';
import { temporaryFolder } from '../support/folder.ts';
import { newDatabase } from '../support/postgres/postgres.ts';
import { post, startProduct } from '../support/product.ts';

const ROOT = join(import.meta.dirname, '../..');
const { name, version, description, mcpName } = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
) as Record<string, string>;

const MAX_TARBALL_BYTES = 6_000_000;

describe('the npm package', async () => {
  const folder = await temporaryFolder({ after });
  const tarball = join(folder, `${name}-${version}.tgz`);
  const installed = join(folder, 'node_modules', 'porchlight');
  const launcher = join(installed, 'bin', 'porchlight.js');

  before(() => {
    execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: ROOT, stdio: 'ignore' });
    // Offline with an empty cache, npm can install nothing but the tarball itself.
    const cache = join(folder, 'cache');
    const options = ['--offline', '--cache', cache, '--prefix', folder, '--no-save'];
    execFileSync('npm', ['install', ...options, tarball], { cwd: folder, stdio: 'ignore' });
  });

  it('holds the program, its licences and its documentation, without source, tests or data', () => {
    const files = readdirSync(installed).sort();
    const others = ['CHANGELOG.md', 'LICENSE', 'README.md', 'bin', 'dist', 'docs', 'package.json'];
    assert.deepEqual(files, ['AGENTS.md', ...others]);
    const readme = readFileSync(join(installed, 'README.md'), 'utf8');
    for (const [, path = ''] of readme.matchAll(/\]\(([^)#:]+)[^)]*\)/g))
      assert.ok(existsSync(join(installed, path)), path);
    assert.match(readFileSync(join(installed, 'dist', 'LICENCES.txt'), 'utf8'), /# express \d/);
  });

  it('installs alone: no dependencies, no install script, at most 6 MB', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const kinds = ['dependencies', 'optionalDependencies', 'peerDependencies', 'bundleDependencies'];
    for (const kind of kinds) assert.equal(kind in manifest, false, kind);
    for (const script of ['preinstall', 'install', 'postinstall'])
      assert.equal(script in manifest.scripts, false, script);
    const packages = readdirSync(join(folder, 'node_modules')).filter((entry) => !entry.startsWith('.'));
    assert.deepEqual(packages, ['porchlight']);
    const { size } = statSync(tarball);
    assert.ok(size <= MAX_TARBALL_BYTES, `${size} bytes`);
  });

  it('has all tools in one file', async () => {
    const texts = readdirSync(join(installed, 'dist', 'program')).map((file) =>
      readFileSync(join(installed, 'dist', 'program', file), 'utf8'),
    );
    const tools = await loadTools();
    assert.equal(
      texts.filter((text) => tools.every(({ title }) => text.includes(`title:"${title}"`))).length,
      1,
    );
  });

  for (const server of ['serve-http', 'serve-stdio']) {
    it(`loads neither Express nor an SDK nor PostgreSQL at the start of ${server}`, () => {
      const files = readdirSync(join(installed, 'dist', 'program'));
      const named = (prefix: string): string => files.find((file) => file.startsWith(`${prefix}-`))!;
      const loaded = importedBy(join(installed, 'dist', 'program'), named(server));
      assert.ok(loaded.size > 5);
      for (const entry of ['express-app', 'v1', 'v2', 'postgres-store', 'metrics', 'program'])
        assert.equal(loaded.has(named(entry)), false, entry);
    });
  }

  it('keeps compiled code in the cache folder of the user, where Node can', () => {
    const record = 'module.enableCompileCache = (folder) => console.log(folder)';
    const [xdg, home] = [join(folder, 'xdg'), join(folder, 'home')];
    assert.deepEqual(linesOf(record, { XDG_CACHE_HOME: xdg, HOME: home }), [
      join(xdg, 'porchlight'),
      version,
    ]);
    assert.deepEqual(linesOf(record, { HOME: home }), [join(home, '.cache', 'porchlight'), version]);
  });

  it('starts, and prints nothing else, without a compile cache and where its folder cannot be written', () => {
    assert.deepEqual(linesOf('module.enableCompileCache = undefined', {}), [version]);
    assert.deepEqual(linesOf('', { XDG_CACHE_HOME: tarball }), [version]);
    assert.deepEqual(linesOf('', { NODE_DISABLE_COMPILE_CACHE: '1' }), [version]);
  });

  /** Runs `porchlight version` after a script that can change `node:module`. @returns what it prints */
  function linesOf(script: string, env: Record<string, string>): string[] {
    const preload = `data:text/javascript,${encodeURIComponent(`import module from 'node:module';${script}`)}`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--import', preload, launcher, 'version'], {
      env: { PATH: process.env['PATH'], ...env },
      encoding: 'utf8',
    });
    assert.equal(stderr, '');
    return stdout.trim().split('\n');
  }

  it('runs by npx in an empty folder', async (test) => {
    const empty = await temporaryFolder(test);
    const options = ['--offline', '--yes', '--cache', join(empty, 'cache'), '--package', tarball];
    const help = execFileSync('npx', [...options, 'porchlight', '--help'], { cwd: empty, encoding: 'utf8' });
    assert.match(help, /serve .*MCP, REST and RSS/);
  });

  it('serves the demo by npx, and leaves nothing behind', async (test) => {
    const temporary = await temporaryFolder(test);
    const child = spawn('npx', ['--offline', '--no-install', 'porchlight', 'demo'], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, TMPDIR: temporary },
      // npx passes a signal on to its shell, and that not always to the program; Ctrl+C goes to the whole group.
      detached: true,
    });
    const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
    const url = /http:\S+/.exec(line)![0];
    assert.match(await (await fetch(`${url}/feed`)).text(), /Which of the 62 public wells/);
    process.kill(-child.pid!, 'SIGINT');
    await once(child, 'close');
    const left = readdirSync(temporary).filter((name) => name.startsWith('porchlight-demo-'));
    assert.deepEqual(left, []);
  });

  it('serves where no other package is installed, and keeps its data in the data folder of the user', async (test) => {
    const home = await temporaryFolder(test);
    const settings = { HOME: home, XDG_DATA_HOME: home, LOG_LEVEL: 'warn' };
    const { url, end } = await startProduct(settings, ['serve'], launcher);
    assert.equal((await fetch(`${url}/api/start`)).status, 200);
    assert.match(await (await fetch(url)).text(), /Connect an agent/);
    const { version: told } = (await (await fetch(`${url}/healthz`)).json()) as { version: string };
    assert.equal(told, version);
    assert.equal(await end('SIGTERM'), 0);
    assert.ok(readdirSync(join(home, 'porchlight')).includes('log.jsonl'));
  });

  it('serves from a database, and tells Prometheus', async (test) => {
    const settings = { DATABASE_URL: await newDatabase(test), METRICS_PORT: '0', LOG_LEVEL: 'info' };
    const { url, log, end } = await startProduct(settings, ['serve'], launcher);
    assert.equal((await post(url, 'into the database')).status, 201);
    const metrics = await (await fetch(/http:[^"]+\/metrics/.exec(log())![0])).text();
    assert.match(metrics, /porchlight_visible\{kind="posts"\} 1/);
    assert.equal(await end('SIGTERM'), 0);
  });
});

/** @returns the file and all that it imports statically */
function importedBy(folder: string, file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  const text = readFileSync(join(folder, file), 'utf8');
  for (const [, imported] of text.matchAll(/(?:from|import)"\.\/([^"]+)"/g))
    importedBy(folder, imported!, found);
  return found;
}

it('what the MCP Registry is told is what the package says', () => {
  const server = JSON.parse(readFileSync(join(ROOT, 'server.json'), 'utf8')) as {
    name: string;
    version: string;
    description: string;
    packages: { identifier: string; version: string }[];
  };
  assert.deepEqual([server.name, server.version], [mcpName, version]);
  const packages = server.packages.map((one) => [one.identifier, one.version]);
  assert.deepEqual(packages, [[name, version]]);
  assert.ok(server.description.length <= 100);
  assert.ok(description);
});
