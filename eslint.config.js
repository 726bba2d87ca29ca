import { basename, dirname, join, relative } from 'node:path';
import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/**
 * Who may import whom. An arrow only ever points down; crossing a layer shows in the import itself
 * (`#store/…`, `#workspace/…`, …), so `../` does not occur under src.
 */
const LAYERS = {
  'src/runtime': ['node:'],
  'src/message': ['#runtime/'],
  'src/store': ['#runtime/', '#message/', 'ipaddr.js', 'lowdb', 'pg', 'node:'],
  'src/private': ['#store/', 'pg', 'node:', 'zod'],
  'src/workspace': [
    '#message/',
    '#runtime/slice.ts',
    '#private/denial.ts',
    '#private/private-store.ts',
    '#store/port/network.ts',
    '#store/port/store.ts',
    'emoji-regex',
    'zod',
    'node:zlib',
  ],
  'src/tool': ['#workspace/', '#runtime/slice.ts', 'zod', 'lru-cache'],
  tools: ['#tool/define-tool.ts', '#workspace/', 'zod'],
  'src/mcp': ['#tool/', '#workspace/', '@modelcontextprotocol/', 'zod', 'node:http', 'node:stream'],
  'src/http': [
    '#tool/',
    '#workspace/',
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
    'markdown-it',
    'zod',
    'openapi3-ts/oas31',
  ],
  'src/commands': ['#workspace/', '#private/', '#runtime/slice.ts', '#store/port/', 'node:', 'cli-progress'],
};

/** The world (clock, chance) is handed in at one place, so that a test can hand in another. */
const INJECTED = [
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'The clock is handed in.' },
  {
    selector: "MemberExpression[object.name='Date'][property.name='now']",
    message: 'The clock is handed in.',
  },
  {
    selector: "MemberExpression[object.name='Math'][property.name='random']",
    message: 'Chance is handed in.',
  },
];

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
    'no-restricted-syntax': ['error', ...INJECTED],
  },
}));

/** Words of earlier names that the field has other words for; docs/architecture.md has the glossary. */
const RETIRED = new Set(
  (
    'bell catalogue deed desk door doors era eras forsake gone house houses intake kept ledger outlet press rooms shelf ' +
    'sight tell tells told twin'
  ).split(' '),
);

const wordsOf = (name) =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);

/** Refuses retired words in the names of files, declarations and members. */
const retiredNames = {
  meta: { type: 'suggestion', schema: [] },
  create(context) {
    const check = (node, name) => {
      const word = wordsOf(name).find((one) => RETIRED.has(one));
      if (word !== undefined) context.report({ node, message: `${name}: "${word}" is a retired name.` });
    };
    const checkIdentifier = (node) => {
      check(node, node.name);
    };
    return {
      Program: (node) => {
        check(node, basename(context.filename));
      },
      ':matches(FunctionDeclaration, ClassDeclaration, TSInterfaceDeclaration, TSTypeAliasDeclaration) > .id':
        checkIdentifier,
      ':matches(Program, ExportNamedDeclaration) > VariableDeclaration > VariableDeclarator > Identifier.id':
        checkIdentifier,
      ':matches(MethodDefinition, PropertyDefinition, TSPropertySignature, TSMethodSignature) > .key[name]':
        checkIdentifier,
    };
  },
};

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

export default tseslint.config(
  { ignores: ['node_modules', 'coverage', 'data', 'dist'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.strict, ...tseslint.configs.stylistic],
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { varsIgnorePattern: '^_' }],
      'no-restricted-imports': ['error', { patterns: [{ group: ['#*/index*'], message: 'No barrels.' }] }],
    },
  },
  {
    // Rules that ask the type checker take most of the time of the linter: the product only.
    files: ['src/**/*.ts', 'tools/**/*.ts'],
    extends: [...tseslint.configs.strictTypeCheckedOnly, ...tseslint.configs.stylisticTypeCheckedOnly],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/require-await': 'off',
    },
  },
  ...layers,
  {
    files: ['**/*.ts'],
    plugins: { porchlight: { rules: { 'retired-names': retiredNames, 'one-way-folders': oneWayFolders } } },
    rules: { 'porchlight/retired-names': 'error' },
  },
  {
    files: ['src/**/*.ts'],
    rules: { 'porchlight/one-way-folders': 'error' },
  },
  {
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: { '@typescript-eslint/no-non-null-assertion': 'off' },
  },
  {
    files: ['**/*.{js,mjs}'],
    languageOptions: {
      globals: {
        Buffer: 'readonly',
        performance: 'readonly',
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        setTimeout: 'readonly',
      },
    },
  },
);
