import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toTitleMarkup } from '#http/documents/feeds/xml-feed.ts';

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
