import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { SCENARIOS } from '../torture/scenarios.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Without the installed packages of the peers in `bench/`. */
const filesBelow = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.includes('node_modules'))
    .map((name) => `${folder}/${name}`);

const DOCUMENTS = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...filesBelow('docs').filter((name) => name.endsWith('.md')),
  'data/demo/README.md',
];

const FOLDERS = ['bench', 'bin', 'docs', 'src', 'test', 'tools'];
const NAMES = [...FOLDERS.flatMap(filesBelow), ...readdirSync(ROOT)];

/** The example of CONTRIBUTING makes it. */
const EXAMPLES = ['tools/count_messages.ts'];

const MCP_METHODS = ['tools/list', 'tools/call'];

const textOf = (document: string): string => readFileSync(join(ROOT, document), 'utf8');

const proseOf = (document: string): string => textOf(document).replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');

const codeSpansOf = (document: string): string[] =>
  [...proseOf(document).matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);

/** @returns the fragments that lead to the headings of a document, as GitHub makes them */
const fragmentsOf = (document: string): string[] =>
  [...proseOf(document).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\- ]/gu, '')
      .replaceAll(' ', '-'),
  );

const countWords = (document: string): number => textOf(document).split(/\s+/).filter(Boolean).length;

test('the documents have at most 16,592 words, docs/scale.md besides 828, and CHANGELOG.md 1,625', () => {
  const counted = DOCUMENTS.filter((name) => name === 'README.md' || /^docs\/[\w-]+\.md$/.test(name));
  const rest = counted.filter((name) => name !== 'docs/scale.md');
  const words = rest.reduce((sum, document) => sum + countWords(document), 0);
  assert.ok(words <= 16_592, `${words} words: shorten a document`);
  for (const [name, most] of [
    ['docs/scale.md', 828],
    ['CHANGELOG.md', 1625],
  ] as const)
    assert.ok(countWords(name) <= most, `${countWords(name)} words of ${name}`);
});

test('the README begins with a picture and the line that runs the service, and has at most 1,000 words', () => {
  const readme = textOf('README.md');
  const begin = readme.split('\n').slice(0, 15).join('\n');
  assert.match(begin, /^npm ci && npm start$/m);
  assert.match(begin, /^\[!\[[^\]]+\]\(docs\/pages\/\w+\.png\)\]/m);
  assert.ok(countWords('README.md') <= 1000, `${countWords('README.md')} words`);
});

test('the skill has the name that a host looks for, and at most 60 lines', () => {
  const skill = textOf('docs/skill/SKILL.md');
  assert.match(skill, /^---\nname: porchlight\ndescription: >-\n(?: {2}.+\n)+---\n/);
  assert.ok(skill.trimEnd().split('\n').length <= 60);
});

/** Those that lead a reader through the code. */
const GUIDES = ['AGENTS.md', 'docs/architecture.md', 'docs/CONTRIBUTING.md', 'docs/decisions.md'];

/** Of an SDK, and not used. */
const OF_OTHERS = ['registerTool'];

test('the functions, classes and fields that the guides name occur in the source', () => {
  const files = [...filesBelow('src'), ...filesBelow('tools'), ...filesBelow('bench')];
  const source = files.filter((name) => name.endsWith('.ts')).map(textOf);
  const isName = (span: string): boolean => /^[A-Za-z]+[a-z][A-Z][A-Za-z]+$/.test(span);
  const names = new Set(GUIDES.flatMap(codeSpansOf).filter(isName));
  assert.ok(names.has('limitClients'));
  const missing = [...names].filter((name) => !source.some((text) => text.includes(name)));
  assert.deepEqual(missing, OF_OTHERS);
});

for (const document of DOCUMENTS) {
  test(`the relative links of ${document} lead somewhere`, () => {
    const targets = [...proseOf(document).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
    for (const target of targets.filter((one) => !/^https?:/.test(one))) {
      const [path = '', fragment] = target.split('#');
      const file = path === '' ? document : join(dirname(document), path);
      assert.ok(existsSync(join(ROOT, file)), `${target} does not exist`);
      if (fragment !== undefined) assert.ok(fragmentsOf(file).includes(fragment), `${target} has no heading`);
    }
  });

  test(`the files that ${document} names exist`, () => {
    const isPath = (span: string): boolean =>
      /^\w[\w.-]*(?:\/\w[\w.-]*)*\/?$/.test(span) &&
      (/\.(?:ts|js|md|service)$/.test(span) || /^(?:bench|bin|docs|src|test|tools)\//.test(span)) &&
      !MCP_METHODS.includes(span);
    const missing = codeSpansOf(document).filter((span) => {
      const path = span.replace(/\/$/, '');
      return (
        isPath(span) && !EXAMPLES.includes(span) && !NAMES.some((name) => `/${name}`.endsWith(`/${path}`))
      );
    });
    assert.deepEqual(missing, []);
  });

  test(`the torture tests that ${document} names exist`, () => {
    const names = codeSpansOf(document)
      .filter((span) => /^(?:npm run )?torture /.test(span))
      .flatMap((span) => span.replace(/^(?:npm run )?torture (?:-- )?/, '').split(' '))
      .filter((name) => /^[a-z]/.test(name));
    const known = SCENARIOS.map(({ name }) => name);
    const unknown = names.filter((name) => !known.includes(name));
    assert.deepEqual(unknown, []);
  });

  test(`no table of ${document} is cut in two`, () => {
    const beginnings = [...proseOf(document).matchAll(/(?<=\n\n)\|.*\n(.*)/g)];
    const broken = beginnings.filter(([, second = '']) => !/^\|[-|]+$/.test(second)).map(([rows]) => rows);
    assert.deepEqual(broken, []);
  });

  test(`the prose of ${document} ends at 110 columns`, () => {
    const lines = proseOf(document).split('\n');
    const tooLong = lines.filter((line) => line.length > 110 && !/^\||^Peers: /.test(line));
    assert.deepEqual(tooLong, []);
  });
}
