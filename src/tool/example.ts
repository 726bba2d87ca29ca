import type { AnyTool } from './define-tool.ts';

/** The public example of a tool. Placeholders replace its ids, which exist only in the example data. */
export function publicExample({ example }: AnyTool): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replace(/^(post|project)_\S+$/, '$1_ID') : value,
    ]),
  );
}
