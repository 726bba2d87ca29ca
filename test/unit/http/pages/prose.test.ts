import assert from 'node:assert/strict';
import test from 'node:test';
import { proseHtml, proseMarkdown, toList } from '#http/pages/parts/prose.ts';

const BLOCKS = [
  '## Limits {#limits}',
  'Read `<a>`, **twice**: [feed](/feed?a=1&b=2), [mail](mailto:a@example.org)',
  toList(['one', '**two** "2"']),
  toList(['first'], '1. '),
  '```sh\ncurl **x**\n```',
];

test('one text of the service is a page and its Markdown', () => {
  const href = (path: string): string => `/under${path}`;
  assert.equal(
    proseHtml(BLOCKS, href).text,
    [
      '<h2 id="limits">Limits</h2>',
      '<p>Read <code>&lt;a&gt;</code>, <strong>twice</strong>: <a href="/under/feed?a=1&amp;b=2">feed</a>, ' +
        '<a href="mailto:a@example.org">mail</a></p>',
      '<ul><li>one</li>\n<li><strong>two</strong> &quot;2&quot;</li>\n</ul>',
      '<ol><li>first</li>\n</ol>',
      '<pre class="sample" tabindex="0">curl **x**</pre>',
    ].join('\n'),
  );
  assert.deepEqual(proseMarkdown(BLOCKS, href), [
    '## Limits',
    'Read `<a>`, **twice**: [feed](/under/feed?a=1&b=2), [mail](mailto:a@example.org)',
    '- one\n- **two** "2"',
    '1. first',
    '```sh\ncurl **x**\n```',
  ]);
});
