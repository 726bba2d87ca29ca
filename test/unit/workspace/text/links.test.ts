import assert from 'node:assert/strict';
import test from 'node:test';
import { countLinks } from '#workspace/text/links.ts';

const COUNTS: Record<string, [links: number, text: string][]> = {
  'a text without links holds none': [
    [0, ''],
    [0, 'We met on the porch.'],
  ],
  'http and https are links': [
    [1, 'see http://example.org'],
    [1, 'see https://example.org/a?b=c#d'],
    [1, 'http://'],
  ],
  'a host and a dot after two slashes are a link': [
    [1, '//example.org/x'],
    [1, 'ftp://example.org'],
    [1, '[x](//example.org)'],
    [1, '//192.0.2.1/'],
    [1, '///example.org'],
    [1, '//b\u00FCcher.example'],
    [1, '//\u0939\u093F\u0928\u094D\u0926\u0940.example'],
  ],
  'www. before a letter or digit is a link': [
    [1, 'www.example.org'],
    [1, 'www.3.example'],
    [1, '(www.example.org)'],
    [1, '_www.example.org_'],
    [0, 'www.'],
    [0, 'www. and so on'],
  ],
  'upper case counts like lower case': [[3, 'HTTP://a.org hTTpS://b.org WWW.c.org']],
  'every URL counts': [
    [3, 'http://a.org, //b.org; www.c.org'],
    [2, 'www.a.org,www.b.org'],
    [2, 'http://a.org\nhttp://a.org'],
  ],
  'one URL counts once': [
    [1, 'https://www.example.org'],
    [1, '//www.example.org'],
    [1, 'https://a.org//b.c'],
    [1, 'https:///www.example.org'],
    [1, 'https://my.www.example.org'],
    [1, 'https://my-www.example.org'],
    [1, 'https://a.org:8080//b.c'],
    [1, 'https://me:pw@www.example.org'],
  ],
  'a Markdown link counts once, and its label counts too if it is a link': [
    [1, '[x](https://a.org)'],
    [1, '<https://a.org>'],
    [2, '[https://a.org](https://b.org)'],
    [2, '[www.a.org](https://b.org)'],
  ],
  'URLs without a space between them count separately': [
    [2, 'https://a.orghttps://b.org'],
    [2, 'https://a.org,//b.org'],
    [2, 'xhttp://a.orgxhttp://b.org'],
  ],
  'a URL within another URL counts': [
    [2, 'https://proxy.example/https://target.example'],
    [2, 'https://proxy.example/www.target.example'],
    [2, 'https://proxy.example/?to=//target.example'],
  ],
  'full-width and other compatibility characters count as plain letters': [
    [1, '\uFF48\uFF54\uFF54\uFF50\uFF1A\uFF0F\uFF0Fexample.org'],
    [1, '\uFF57\uFF57\uFF57\uFF0Eexample.org'],
    [1, '\u{1D421}\u{1D42D}\u{1D42D}\u{1D429}://example.org'],
    [1, '\uFF0F\uFF0Fexample\uFF0Eorg'],
    [1, 'http\u017F://example.org'],
  ],
  'invisible characters do not hide a link': [
    [1, 'w\u200Bww.example.org'],
    [1, 'ht\u00ADtp:/\u2060/example.org'],
    [1, '/\uFEFF/exam\u200Dple.org'],
    [1, 'h\u034Ft\uFE0Ft\u{E0041}p://example.org'],
    [1, 'ww\u2066w.\u2069example.org'],
    [1, 'https\uFFF9://example.org'],
  ],
  'a link directly after a letter of a script without spaces counts': [
    [1, '\u8BF7\u770Bwww.example.org'],
    [1, '\u8BF7\u770B//example.org'],
    [1, '\u0E17\u0E35\u0E48www.example.org'],
  ],
  'file names, host names and e-mail addresses are no links': [
    [0, 'README.md and install.sh'],
    [0, 'example.org, a.b.example.org:8080/x'],
    [0, 'me@example.org, me@www.example.org'],
    [0, 'mailto:me@example.org'],
    [0, 'my.www.example.org'],
  ],
  'comments, paths and alternatives are no links': [
    [0, '// a comment. Or two.'],
    [0, 'a//b'],
    [0, 'src//index.ts'],
    [0, 'and/or'],
    [0, '//////// x.'],
    [0, '//comment without a dot'],
    [0, 'http:/x.org, https:x.org, http and https:'],
  ],
  'www at the end of a word is no link': [
    [0, 'awww.cute'],
    [0, 'Ewww.gross'],
    [0, '\u00E9www.x'],
    [0, '4www.x'],
  ],
  'a combining mark within a scheme makes it no link': [[0, 'h\u0323ttp:/\u0338/x.org']],
};

for (const [name, rows] of Object.entries(COUNTS)) {
  test(name, () => {
    for (const [links, text] of rows) assert.equal(countLinks(text), links, JSON.stringify(text));
  });
}
