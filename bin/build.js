// Builds dist/ for the npm package, or the folder that is named: the source and its dependencies bundled into a
// few files, which start faster.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const ROOT = join(import.meta.dirname, '..');
const OUTPUT = resolve(process.argv[2] ?? join(ROOT, 'dist'));

/** Leaves out zod's messages in forty languages, which are half of zod. */
const ENGLISH = {
  name: 'english',
  setup: ({ onLoad }) => {
    onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.c?js$/ }, () => ({
      contents: 'export { default as en } from "./en.js"',
    }));
  },
};

/** Leaves out umzug's command line, which is three times as large as the rest of umzug. */
const NO_COMMANDS = {
  name: 'no-commands',
  setup: ({ onLoad }) => {
    onLoad({ filter: /umzug[\\/]lib[\\/]cli\.js$/ }, () => ({ contents: 'exports.UmzugCLI = class {};' }));
  },
};

/** Defines `require` for the bundled CommonJS packages. */
const REQUIRE = "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);";

/** @returns the licences of every bundled package */
function licencesOf(inputs) {
  const packages = inputs.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
  return [...new Set(packages)]
    .filter(Boolean)
    .sort()
    .flatMap((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
      const file = readdirSync(join(ROOT, folder)).find((entry) => /^licen[cs]e/i.test(entry));
      return [
        `# ${name} ${version} (${license})`,
        file === undefined ? '' : readFileSync(join(ROOT, folder, file), 'utf8'),
      ];
    })
    .join('\n\n');
}

rmSync(OUTPUT, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: ROOT,
  // One file per tool, since tools/load.ts imports the files of its own folder.
  entryPoints: ['src/cli.ts', ...readdirSync(join(ROOT, 'tools')).map((name) => `tools/${name}`)],
  outdir: OUTPUT,
  entryNames: '[name]',
  bundle: true,
  splitting: true,
  platform: 'node',
  // Optional native binding of pg; pg works without it.
  external: ['pg-native'],
  format: 'esm',
  target: 'node20.19',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  banner: { js: REQUIRE },
  plugins: [ENGLISH, NO_COMMANDS],
  metafile: true,
  logLevel: 'warning',
});
writeFileSync(join(OUTPUT, 'LICENCES.txt'), licencesOf(Object.keys(metafile.inputs)));
