import { dirname, join, relative } from 'node:path';
import { RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';
import * as parser from '@typescript-eslint/parser';
import regexp from 'eslint-plugin-regexp';

/**
 * Who may import whom. An arrow only ever points down; crossing a layer shows in the import itself
 * (`#store/…`, `#workspace/…`, …), so `../` does not occur under src.
 */
const LAYERS = {
  'src/runtime': ['node:'],
  'src/message': ['#runtime/'],
  'src/work': ['#message/'],
  'src/store': ['#runtime/', '#message/', 'ipaddr.js', 'lowdb', 'lru-cache', 'pg', 'node:'],
  'src/private': ['#store/', '#runtime/json.ts', 'pg', 'node:', 'zod'],
  'src/workspace': [
    '#message/',
    '#work/',
    '#runtime/json.ts',
    '#runtime/slice.ts',
    '#private/private-store.ts',
    '#store/port/',
    'emoji-regex',
    'zod',
    'node:crypto',
    'node:zlib',
  ],
  'src/tool': [
    '#workspace/',
    '#runtime/slice.ts',
    '#store/port/store.ts',
    'zod',
    'lru-cache',
    'openapi3-ts/oas31',
    'node:http',
  ],
  tools: ['#tool/define-tool.ts', '#workspace/', 'zod'],
  'src/mcp': [
    '#tool/',
    '#workspace/',
    '#runtime/json.ts',
    '#runtime/slice.ts',
    '@modelcontextprotocol/',
    'zod',
    'node:http',
    'node:stream',
  ],
  'src/http': [
    '#runtime/late-module.ts',
    '#message/blocks.ts',
    '#message/check-lines.ts',
    '#message/labels.ts',
    '#message/words.ts',
    '#tool/',
    '#workspace/',
    '#work/',
    '#message/code-points.ts',
    'node:',
    'express',
    'express-rate-limit',
    'feed',
    'cors',
    'helmet',
    'ipaddr.js',
    'lru-cache',
    'proxy-addr',
    'content-type',
    'escape-html',
    'uuid',
    'markdown-it',
    'negotiator',
    'zod',
    'openapi3-ts/oas31',
  ],
  'src/demo': [
    '#tool/',
    '#workspace/',
    '#private/private-store.ts',
    '#store/folder/fs/disk.ts',
    '#store/port/store.ts',
    'uuid',
    'node:crypto',
    'node:fs',
    'node:path',
  ],
  'src/commands': [
    '#workspace/',
    '#message/words.ts',
    '#private/',
    '#runtime/',
    '#store/folder/fs/disk.ts',
    '#store/port/',
    'node:',
    'cli-progress',
  ],
  'src/settings': ['node:', 'env-paths', 'proxy-addr', 'zod'],
  'src/server': [
    '#message/code-points.ts',
    '#http/',
    '#mcp/',
    '#tool/',
    '#tools/load.ts',
    '#workspace/',
    '#private/',
    '#store/',
    '#settings/',
    '#runtime/',
    'node:',
    'pino',
    'prom-client',
    'uuid',
  ],
  'src/cli': [
    '#server/',
    '#commands/',
    '#demo/',
    '#tool/',
    '#tools/load.ts',
    '#workspace/',
    '#private/',
    '#store/',
    '#settings/',
    'node:',
    'commander',
    'uuid',
  ],
};

/** Those that make the clock, and pass it on. */
const CLOCK_MAKERS = ['src/server', 'src/cli'];

/** Clock and randomness are injected. */
const INJECTED = [
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Use the injected clock.' },
  {
    selector: "MemberExpression[object.name='Date'][property.name='now']",
    message: 'Use the injected clock.',
  },
  {
    selector: "MemberExpression[object.name='Math'][property.name='random']",
    message: 'Use the injected random numbers.',
  },
];

/** An upgrade in place removes the file of a module that a running process has not loaded. */
const REGISTERED = {
  selector:
    'AwaitExpression > ImportExpression, ' +
    ':not(CallExpression[callee.name="lateModule"]) > ArrowFunctionExpression > ImportExpression',
  message: 'Register the module by lateModule.',
};

const escape = (text) => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** An entry that ends in `/` or `:` allows all below it; any other allows that very module. */
const allowed = (entry) => escape(entry) + (/[/:]$/.test(entry) ? '.+' : '$');

/** Within its room a file names its neighbours, and what lies higher in the room by the room's own name. */
const OWN = ['./'];
const ownName = (folder) => `${folder.replace('src/', '#')}/`;

const layers = Object.entries(LAYERS).map(([folder, imports]) => ({
  files: [`${folder}/**/*.ts`],
  ignores: ['tools/load.ts'],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            regex: `^(?!${[...OWN, ownName(folder), ...imports].map(allowed).join('|')})`,
            message: `${folder} may import ./ and ${imports.join(' ')} only.`,
          },
        ],
      },
    ],
    'no-restricted-syntax': CLOCK_MAKERS.includes(folder) ? 'off' : ['error', ...INJECTED, REGISTERED],
  },
}));

const ROOT = import.meta.dirname;

/** The folder of an import as a path from the root, or undefined for a package. */
function importedFolder(file, specifier) {
  if (specifier.startsWith('#')) return dirname(`src/${specifier.slice(1)}`);
  return specifier.startsWith('.') ? relative(ROOT, join(dirname(file), dirname(specifier))) : undefined;
}

/** One import from each folder into each other, as far as the files are linted. */
const folderImports = new Map();

/** Of two folders at most one imports the other, and none imports the folder that it is in. */
const oneWayFolders = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    const file = context.filename;
    const from = relative(ROOT, dirname(file));
    return {
      'ImportDeclaration, ExportNamedDeclaration[source]'(node) {
        const to = importedFolder(file, node.source.value);
        if (to === undefined || to === from) return;
        if (from.startsWith(`${to}/`))
          context.report({ node, message: `${from} may not import its parent folder.` });
        folderImports.set(`${from} ${to}`, relative(ROOT, file));
        const reverse = folderImports.get(`${to} ${from}`);
        if (reverse !== undefined)
          context.report({ node, message: `${reverse} imports from ${from} already.` });
      },
    };
  },
};

const regExpParser = new RegExpParser();

/** A lookaround that reads on without end takes quadratic time, since it is tried at each position. */
const boundedLookaround = {
  meta: { type: 'problem', schema: [] },
  create: (context) => ({
    'Literal[regex]'(node) {
      const { pattern, flags } = node.regex;
      const unicode = flags.includes('u');
      let depth = 0;
      visitRegExpAST(regExpParser.parsePattern(pattern, 0, pattern.length, { unicode }), {
        onAssertionEnter({ kind }) {
          if (kind.startsWith('look')) depth += 1;
        },
        onAssertionLeave({ kind }) {
          if (kind.startsWith('look')) depth -= 1;
        },
        onQuantifierEnter({ max }) {
          if (depth > 0 && max === Infinity)
            context.report({ node, message: 'Bound the repetition inside of the lookaround.' });
        },
      });
    },
  }),
};

const porchlight = { rules: { 'bounded-lookaround': boundedLookaround, 'one-way-folders': oneWayFolders } };

/** For expressions that read texts of strangers. Those composed of parts are in regular-expressions.test.ts. */
export const LINEAR_TIME = {
  plugins: { porchlight, regexp },
  rules: {
    'porchlight/bounded-lookaround': 'error',
    'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
    'regexp/no-super-linear-move': ['error', { report: 'potential' }],
  },
};

// The rules that others wrote are in .oxlintrc.json.
export default [
  { ignores: ['**/*.js', '**/*.mjs'] },
  {
    files: ['src/**/*.ts', 'tools/**/*.ts'],
    languageOptions: { parser },
  },
  ...layers,
  {
    files: ['src/**/*.ts'],
    plugins: { porchlight },
    rules: { 'porchlight/one-way-folders': 'error' },
  },
  { files: ['src/**/*.ts', 'tools/**/*.ts'], ...LINEAR_TIME },
  {
    // What composes the layers names them as they name each other; `tools/` has no such name.
    files: ['src/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            { regex: '^\\./.+/', message: 'Name a layer by its own name, such as #http/.' },
            { regex: '^\\.\\./(?!tools/)', message: 'Only tools/ is outside of src.' },
          ],
        },
      ],
    },
  },
];
