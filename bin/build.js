// Makes dist/ for the package: the source and all it needs in a few files, which start faster than the source.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const ROOT = join(import.meta.dirname, '..');

/** Half of zod is its messages in forty languages. */
const ENGLISH = {
  name: 'english',
  setup: ({ onLoad }) => {
    onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.c?js$/ }, () => ({
      contents: 'export { default as en } from "./en.js"',
    }));
  },
};

/** The library of migrations brings a command line of its own, three times as large as all the rest of it. */
const NO_COMMANDS = {
  name: 'no-commands',
  setup: ({ onLoad }) => {
    onLoad({ filter: /umzug[\\/]lib[\\/]cli\.js$/ }, () => ({ contents: 'exports.UmzugCLI = class {};' }));
  },
};

/** What is bundled and was written for require() asks for it by this name. */
const REQUIRE = "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);";

/** @returns the licences of all packages of which something went into the bundle */
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

rmSync(join(ROOT, 'dist'), { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: ROOT,
  // Each tool stays a file of its own, for the loader to find beside it.
  entryPoints: ['src/cli.ts', ...readdirSync(join(ROOT, 'tools')).map((name) => `tools/${name}`)],
  outdir: 'dist',
  entryNames: '[name]',
  bundle: true,
  splitting: true,
  platform: 'node',
  // A faster way to PostgreSQL that needs a compiler; the driver does without it.
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
writeFileSync(join(ROOT, 'dist', 'LICENCES.txt'), licencesOf(Object.keys(metafile.inputs)));
