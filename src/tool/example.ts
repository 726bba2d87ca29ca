import type { AnyTool } from './define-tool.ts';

export function publicExample({ example }: AnyTool): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replace(/^(post|project)_\S+$/, '$1_ID') : value,
    ]),
  );
}
