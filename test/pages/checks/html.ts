import { FileSystemConfigLoader, HtmlValidate } from 'html-validate';
import { placeOf } from '../browser/each-page.ts';
import type { PageCheck } from '../check.ts';
import { visitedPages } from '../visited-pages.ts';

/** The rules of the HTML standard, without those of style and accessibility. */
const RULES = { root: true, extends: ['html-validate:standard'] };

export const html: PageCheck = {
  name: 'html',
  description: 'html-validate finds no violation of the HTML standard',
  async run({ worlds, faults }) {
    const validator = new HtmlValidate(new FileSystemConfigLoader(RULES));
    for (const target of visitedPages(worlds)) {
      const place = placeOf(target);
      faults.examined += 1;
      const response = await fetch(`${target.world.url}${target.path}`, { headers: { Accept: 'text/html' } });
      const type = response.headers.get('content-type') ?? 'no content type';
      const text = await response.text();
      if (response.status !== target.status || !type.startsWith('text/html')) {
        faults.add(place, `answers ${response.status} ${type}, not ${target.status} text/html`);
        continue;
      }
      const { results } = await validator.validateString(text);
      for (const { ruleId, message, line, column, selector } of results.flatMap(({ messages }) => messages))
        faults.add(
          { ...place, detail: `line ${line}, column ${column}, ${selector ?? 'no element'}` },
          `${ruleId}: ${message}`,
        );
    }
    return '';
  },
};
