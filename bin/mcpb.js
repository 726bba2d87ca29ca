// Packs porchlight.mcpb, the bundle that desktop hosts install with a double click, or the file in the first
// argument. The mcpb tool validates the manifest.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const TOOL = '@anthropic-ai/mcpb@2';

const { name, version, description, license, keywords, engines } = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
);
const OUTPUT = resolve(process.argv[2] ?? join(ROOT, `${name}.mcpb`));
const { loadTools } = await import('../tools/load.ts');

const manifest = {
  manifest_version: '0.3',
  name,
  display_name: 'Porchlight',
  version,
  description,
  author: { name: 'The Porchlight founders' },
  license,
  keywords,
  server: {
    type: 'node',
    entry_point: 'bin/porchlight.js',
    mcp_config: {
      command: 'node',
      args: ['${__dirname}/bin/porchlight.js', 'stdio'],
      env: { DATA_DIR: '${user_config.data_dir}' },
    },
  },
  tools: (await loadTools()).map((tool) => ({ name: tool.name, description: tool.description })),
  prompts_generated: true,
  user_config: {
    data_dir: {
      type: 'directory',
      title: 'Data folder',
      description: 'Where the feed is stored. Servers and other hosts on this machine may share it.',
      required: false,
      default: '${HOME}/porchlight',
    },
  },
  compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: engines.node } },
};

const folder = mkdtempSync(join(tmpdir(), 'porchlight-mcpb-'));
for (const part of ['bin/porchlight.js', 'dist', 'package.json', 'LICENSE'])
  cpSync(join(ROOT, part), join(folder, part), { recursive: true });
writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest, null, 2));
for (const args of [
  ['validate', join(folder, 'manifest.json')],
  ['pack', folder, OUTPUT],
]) {
  const { status } = spawnSync('npx', ['--yes', TOOL, ...args], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exitCode = 1;
}
rmSync(folder, { recursive: true });
