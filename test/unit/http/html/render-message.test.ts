import assert from 'node:assert/strict';
import test, { describe, it } from 'node:test';
import { linkRecords } from '#http/html/record-labels.ts';
import { renderMessage } from '#http/html/render-message.ts';
import { RenderedMessages } from '#http/html/rendered-messages.ts';
import { parseLines } from '#message/blocks.ts';
import fc from 'fast-check';
import { HOSTILE } from '../../../support/http/hostile.ts';
import { visibleText } from '../../../support/http/html.ts';
import { assertShows, markdownText } from '../../../support/http/markdown-text.ts';

const render = (text: string): string =>
  linkRecords(renderMessage(text), (kind, id) => ({ href: `/${kind}s/${id}` })).text;

const POST = 'post_019c9a31-6400-7000-8000-000000000001';
const TAG =
  /<\/?(p|strong|em|s|br|ul|ol|li|blockquote|hr|pre|code|div|table|thead|tbody|tr|th|td|a)((?: [a-z]+="[^"<>]*")*)>/g;

/** @returns the attributes that stand in tags */
function attributesIn(markup: string): string[] {
  return [...markup.matchAll(TAG)]
    .flatMap(([, , attributes = '']) => attributes.trim().split(/ (?=[a-z]+=")/))
    .filter(Boolean);
}

describe('a message as HTML', () => {
  it('shows headings, lists, tables, code and emphasis', () => {
    const markup = render(
      'RESULT:\n## Head\n- a\n- **b**\n\n| l | r |\n|:--|--:|\n| 1 | 2 |\n\n```js\nif (x) {\n  y\n}\n```\n',
    );
    for (const part of [
      '<p class="heading"><strong>Head</strong></p>',
      '<li><strong>b</strong></li>',
      '<div class="wide" role="group" aria-label="Table" tabindex="0" dir="auto"><table>',
      '<td class="right">2</td>',
      '<p class="small quiet">js</p>\n<pre class="wide" tabindex="0"><code>if (x) {\n  y\n}\n</code></pre>',
    ])
      assert.ok(markup.includes(part), `${part} in ${markup}`);
  });

  it('keeps the short cells of a table on one line', () => {
    const markup = render(`| a | b |\n|---|--:|\n| ${'x'.repeat(24)} | ${'x'.repeat(25)} |`);
    assert.match(markup, /<td>x{24}<\/td>\s*<td class="right long">x{25}<\/td>/);
  });

  it('shows what stands behind the beginning of a fence above the code', () => {
    assert.equal(
      render('~~~ js `ignore` <b>\ny\n~~~'),
      '<p class="small quiet">js `ignore` &lt;b&gt;</p>\n' +
        '<pre class="wide" tabindex="0"><code>y\n</code></pre>\n',
    );
  });

  it('shows a table with more cells than its head as its lines, and the rest of the text as ever', () => {
    assert.equal(
      render('**a**\n\n|l|r|\n|--|--|\n|1|2|ignore all|\n\n- b'),
      '<p><strong>a</strong></p>\n<pre class="plain">\n|l|r|\n|--|--|\n|1|2|ignore all|</pre>\n' +
        '<ul dir="auto">\n<li>b</li>\n</ul>\n',
    );
  });

  it('shows the numbers of a list as they are written, or its lines if they are longer than three digits', () => {
    const shown = render('7. a\n7. b');
    assert.equal(shown, '<ol start="7" dir="auto">\n<li value="7">a</li>\n<li value="7">b</li>\n</ol>\n');
    assert.equal(render('1. a\n1984. b'), '<pre class="plain">\n1. a\n1984. b</pre>\n');
    assert.equal(render('007. a'), '<pre class="plain">\n007. a</pre>\n');
  });

  it('keeps the asterisks of formulas, patterns and names, and takes them for emphasis elsewhere', () => {
    for (const text of [
      '2*3*4 = 24, a * b * c, (a)*b*(c), f(x) = 2*x*sin(x)',
      'a**2 + b**2 = c**2',
      'src/**/*.ts and **/*.js, rm *.ts,*.js',
      '__init__ and __main__, 3~~4~~5',
      '/* a */ and /* b */',
    ])
      assert.equal(render(text), `<p>${text}</p>\n`);
    assert.equal(
      render('**a**, *b*; (*c*) _d_ ~~e~~ 这是**重点**内容'),
      '<p><strong>a</strong>, <em>b</em>; (<em>c</em>) <em>d</em> <s>e</s> 这是<strong>重点</strong>内容</p>\n',
    );
  });

  it('has every word of a text', () => {
    fc.assert(
      fc.property(markdownText, (text) => {
        assertShows(visibleText(renderMessage(text)), text);
      }),
      { seed: 40, numRuns: 300 },
    );
  });

  it('keeps every line break', () => {
    assert.equal(render('Idea\nWho: a\u2028First: b'), '<p>Idea<br>\nWho: a<br>\nFirst: b</p>\n');
  });

  it('leaves out the prefix, which stands beside it, and sets the labels of the layouts in bold', () => {
    assert.equal(
      render('REVIEW: \r\nResult being checked (post id): x\n- Evidence: y & z\nIdea: Evidence: no label'),
      '<p><strong>Result being checked (post id):</strong> x</p>\n' +
        '<ul dir="auto">\n<li><strong>Evidence:</strong> y &amp; z</li>\n</ul>\n<p>Idea: Evidence: no label</p>\n',
    );
    assert.equal(render('WORK: I do'), '<p>I do</p>\n');
    assert.equal(render('IDEA:\n    code'), '<pre class="wide" tabindex="0"><code>code\n</code></pre>\n');
    assert.equal(render('work: I do'), '<p>work: I do</p>\n');
  });

  it('ends a list with a label in any script that is not indented, and with nothing else', () => {
    for (const label of ['Outcome: confirmed', '结论：确认', '结论:确认', 'नतीजा: पुष्टि', '**Limits:** none'])
      assert.match(render(`1. one\n2. two\n${label}`), /two<\/li>\n<\/ol>\n<p>/, label);
    for (const line of ['see 12:30', 'at 12:30', 'https://a.example: x', 'and so on', ': x', '  Outcome: x'])
      assert.match(render(`- one\n- two\n${line}`), /<li>two<br>\n.*<\/li>\n<\/ul>\n$/, line);
    assert.match(render('- > one\nOutcome: quoted'), /<\/blockquote>\n<\/li>\n<\/ul>\n$/);
  });

  it('leaves links, images, definitions, character references and underlined headings as text', () => {
    const text =
      '[a](http://b.example) ![c](d) <http://e.example> http://f.example\n[g]: h\n[g]\nTitle\n=====\n&#8238;';
    const markup = render(text);
    assert.deepEqual(attributesIn(markup), []);
    for (const part of [
      '[a](http://b.example)',
      '![c](d)',
      '&lt;http://e.example&gt;',
      '[g]: h',
      '=====',
      '&amp;#8238;',
    ])
      assert.ok(markup.includes(part), part);
  });

  it('links ids of posts and projects, and nothing that only looks like one', () => {
    assert.equal(render(`see ${POST}.`), `<p>see <a href="/posts/${POST}">${POST}</a>.</p>\n`);
    const named = linkRecords(renderMessage(`see ${POST}.`), () => ({
      href: '/x?a&b',
      label: 'A&B',
    }));
    assert.equal(named.text, `<p>see <a href="/x?a&amp;b">A&amp;B</a>.</p>\n`);
    assert.doesNotMatch(render(`${POST}0 x${POST} \`${POST}\` note_${POST.slice(5)}`), /<a/);
  });

  for (const text of HOSTILE) {
    it(`has no markup of its author: ${JSON.stringify(text).slice(0, 50)}`, () => {
      const markup = render(text);
      assert.doesNotMatch(markup.replace(TAG, ''), /[<>]/);
      for (const attribute of attributesIn(markup))
        assert.match(
          attribute,
          /^(?:class="(?:wide|plain|heading|right|center|small quiet)"|tabindex="0"|(?:start|value)="\d+")$/,
        );
    });
  }

  it('is the text as it is where quotes or lists nest deeper than the library shows', () => {
    for (const text of [
      '>'.repeat(200),
      `${'> '.repeat(30)}deep`,
      Array.from({ length: 60 }, (_, depth) => `${'  '.repeat(depth)}- ${depth}`).join('\n'),
    ])
      assert.match(render(text), /^<pre class="plain">/);
  });

  it('is the text as it is where its tables have thousands of cells', () => {
    const head = (columns: number): string => `${'a|'.repeat(columns)}\n${'-|'.repeat(columns)}\n`;
    assert.match(render(head(20) + `${'x|'.repeat(20)}\n`.repeat(100)), /<table>/);
    assert.match(render(head(100) + 'x\n'.repeat(3800)), /^<pre class="plain">/);
  });

  it('keeps the first line break of a text that is shown as it is', () => {
    assert.ok(render(`\n${'>'.repeat(200)}`).startsWith('<pre class="plain">\n\n&gt;'));
  });
});

const BLANKS = ' '.repeat(3000);

for (const [what, toText] of Object.entries({
  'fenced code': (code: string) => `Text\n\n\`\`\`\n${code}\n\`\`\``,
  'indented code': (code: string) => `Text\n\n${code.replace(/^/gm, '    ')}`,
})) {
  test(`${what} with a long run of blanks wraps, so that the words behind it are in sight`, () => {
    const wrapped = '<pre class="wide wrapped" tabindex="0"><code>';
    assert.ok(renderMessage(toText(`one${BLANKS}two`)).includes(`${wrapped}one${BLANKS}two\n</code>`));
    assert.match(renderMessage(toText(`one${' '.repeat(79)}two`)), /<pre class="wide" /);
  });

  test(`${what} shows ten empty lines, and says how many more there are`, () => {
    const lines = (count: number): string => `one${'\n'.repeat(count + 1)}two`;
    assert.match(renderMessage(toText(lines(10))), /<code>one\n{11}two\n<\/code>/);
    assert.match(renderMessage(toText(lines(11))), /<code>one\n… 11 empty lines\ntwo\n<\/code>/);
    assert.match(renderMessage(toText(lines(2990))), /<code>one\n… 2,990 empty lines\ntwo\n<\/code>/);
  });
}

for (const blank of ['\u2800', '\u00A0', '\u3164', ' \u2800\t\u2800'])
  test(`a line of ${JSON.stringify(blank)} is empty, on pages and for lists`, () => {
    const lines = `${blank}\n`.repeat(80);
    assert.equal(renderMessage(`one\n${lines}two`), '<p>one</p>\n<p>two</p>\n');
    assert.match(renderMessage(`\`\`\`\none\n${lines}two`), /one\n… 80 empty lines\ntwo/);
    const ended = `> Quoted\n${blank}\nOutcome: confirmed`;
    assert.match(renderMessage(ended), /<\/blockquote>\n<p><strong>Outcome:/);
    assert.deepEqual(parseLines(ended, null).at(-1), { text: 'Outcome: confirmed', isText: true });
  });

const ID = 'post_019c9a31-6400-7000-8000-000000000001';

test('a message is rendered once, and each page puts in its own links and what it calls a record', async () => {
  const rendered = new RenderedMessages();
  const texts = [`see ${ID}`, 'another text shows that the first one is kept'];
  for (const [index, text] of texts.entries()) {
    const markup = (await rendered.render('m', text)).markup;
    const label = `name ${index}`;
    const linked = linkRecords(markup, (kind, id) => ({ href: `/${index}/${kind}/${id}`, label })).text;
    assert.equal(linked, `<p>see <a href="/${index}/post/${ID}">name ${index}</a></p>\n`);
  }
});

test('the text of a forgotten message is dropped, and not kept again by a page that is being made', async () => {
  const rendered = new RenderedMessages();
  await rendered.render('m', 'one');
  rendered.forget('m');
  for (const text of ['two', 'three'])
    assert.equal((await rendered.render('m', text)).markup, `<p>${text}</p>\n`);
});
