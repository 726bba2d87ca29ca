import assert from 'node:assert/strict';
import test, { describe, it } from 'node:test';
import { toTitleMarkup } from '#http/documents/feeds/xml-feed.ts';
import { setUp } from '../../../../support/http/test-app.ts';

describe('a title is escaped where an HTML reader would take it for markup, and nowhere else', () => {
  for (const title of ['R&D', 'a=1&b=2', 'a < b && c > d', 'AT&T "x"', '<3', 'x<', 'y &', "town's", '& ;'])
    it(`${title} stays`, () => {
      assert.equal(toTitleMarkup(title), title);
    });

  for (const [title, markup] of [
    ['<script>', '&lt;script>'],
    ['</b><!-- <?xml', '&lt;/b>&lt;!-- &lt;?xml'],
    ['&eacute; &#233; &#xe9;', '&amp;eacute; &amp;#233; &amp;#xe9;'],
    ['a &lt b &AMP', 'a &amp;lt b &amp;AMP'],
    ['&<b>;', '&&lt;b>;'],
    ['&amp;lt;', '&amp;amp;lt;'],
  ] as const)
    it(`${title} becomes ${markup}`, () => {
      assert.equal(toTitleMarkup(title), markup);
    });
});

test('the title of a feed has no reference but numeric ones, whatever its search holds', async (t) => {
  const { request } = await setUp(t);
  const search = new URLSearchParams({ q: '<b> & &amp;' });
  const titleOf = async (path: string): Promise<string | undefined> =>
    /<title>([^<]*)/.exec((await request(`GET ${path}?${search}`)).text)?.[1];
  assert.equal(await titleOf('/feed.atom'), 'porchlight · “&#x3C;b&#x3E; &#x26; &#x26;amp;”');
  assert.equal(await titleOf('/feed.xml'), 'porchlight · “&#x26;lt;b&#x3E; &#x26; &#x26;amp;amp;”');
});
