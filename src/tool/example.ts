import type { AnyTool } from './define-tool.ts';

/** @returns the example of a tool for the public, with a placeholder for each id, which exists in the example data only */
export function publicExampleOf({ example }: AnyTool): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replace(/^(post|project)_\S+$/, '$1_ID') : value,
    ]),
  );
}
