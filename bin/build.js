// Builds dist/ for the npm package, or the folder in the first argument: the source and its dependencies as a
// few bundled files, which start faster.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';

const ROOT = join(import.meta.dirname, '..');
const OUTPUT = resolve(process.argv[2] ?? join(ROOT, 'dist'));

/** Modules of packages that the bundle omits, because nothing calls them, and their replacements. */
const LEFT_OUT = [
  // zod's messages in forty languages.
  [/zod[\\/]v4[\\/]locales[\\/]index\.c?js$/, 'export { default as en } from "./en.js"'],
  // Character sets of request bodies: express.raw decodes none.
  [/iconv-lite[\\/]encodings[\\/]index\.js$/, 'module.exports = require("./internal");'],
  // express-rate-limit's own key for a client: src/http/guards has another.
  [/ip-address[\\/]dist[\\/]ip-address\.js$/, 'exports.Address6 = class {};'],
  // Debugging output of Express and its packages, which also loads node:tty.
  [/debug[\\/]src[\\/]index\.js$/, 'module.exports = () => () => undefined;'],
  // pino's worker threads: the logger writes to standard error.
  [/pino[\\/]lib[\\/]transport\.js$/, 'module.exports = undefined;'],
  // Ajv: `jsonSchemaValidator` of src/mcp/handlers/initialize.ts is given to both SDKs.
  [/sdk[\\/]dist[\\/]esm[\\/]validation[\\/]ajv-provider\.js$/, 'export class AjvJsonSchemaValidator {}'],
  [
    /server[\\/]dist[\\/]shimsNode\.mjs$/,
    'export { default as process } from "node:process"; export class DefaultJsonSchemaValidator {}',
  ],
  // The SDK's support of zod 3 and its own conversion of schemas: no tool is registered with it.
  [/zod[\\/]v3[\\/]index\.js$/, 'export const object = undefined;'],
  [/zod-to-json-schema[\\/]dist[\\/]esm[\\/]index\.js$/, 'export const zodToJsonSchema = undefined;'],
];

const LEAVE_OUT = {
  name: 'leave-out',
  setup: ({ onLoad }) => {
    for (const [filter, contents] of LEFT_OUT)
      onLoad({ filter }, ({ path }) => ({ contents, resolveDir: dirname(path) }));
  },
};

/** Imports the tools statically: the bundle has no folder that tools/load.ts could list. */
const TOOLS = {
  name: 'tools',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]tools[\\/]load\.ts$/ }, ({ path }) => {
      const files = readdirSync(dirname(path)).filter((name) => name !== basename(path));
      const imports = files.map((name, index) => `import tool${index} from './${name}';`);
      return {
        contents: [
          ...imports,
          `import { sortTools } from '#tool/define-tool.ts';`,
          `export const loadTools = async () => sortTools([${files.map((_, index) => `tool${index}`)}]);`,
        ].join('\n'),
        resolveDir: dirname(path),
        loader: 'js',
      };
    });
  },
};

/** Puts the texts of `data/demo/` into the bundle, which reads no folder. */
const DEMO = {
  name: 'demo',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]demo[\\/]conversation\.ts$/ }, ({ path }) => {
      const folder = join(ROOT, 'data', 'demo');
      const files = readdirSync(folder).filter((name) => /^\d.*\.md$/.test(name));
      const texts = files.sort().map((name) => readFileSync(join(folder, name), 'utf8'));
      return {
        contents: [
          `import { parseScript } from './script.ts';`,
          `export const readConversation = () => parseScript(${JSON.stringify(texts)});`,
        ].join('\n'),
        resolveDir: dirname(path),
        loader: 'js',
      };
    });
  },
};

/** Defines `require` for the bundled CommonJS packages. */
const REQUIRE = "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);";

/** Reads the licences of every bundled package. */
function readLicences(inputs) {
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
  entryPoints: ['src/cli/cli.ts'],
  outdir: OUTPUT,
  // As deep as the source: src/settings/config.ts finds package.json from its own folder.
  entryNames: 'program/[name]',
  chunkNames: 'program/[name]-[hash]',
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
  plugins: [LEAVE_OUT, TOOLS, DEMO],
  metafile: true,
  logLevel: 'warning',
});
const inputs = Object.keys(metafile.inputs);
for (const [filter] of LEFT_OUT)
  if (!inputs.some((path) => filter.test(path))) throw new Error(`no module of the bundle matches ${filter}`);
writeFileSync(join(OUTPUT, 'LICENCES.txt'), readLicences(inputs));
