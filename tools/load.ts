import { readdir } from 'node:fs/promises';
import type { AnyTool } from '#tool/define-tool.ts';

const TOOL_FILE = /^[a-z]+(?:_[a-z]+)+\.[jt]s$/;

/** @returns every tool of this folder, in the order of their names: adding a tool is adding one file. */
export async function loadTools(): Promise<AnyTool[]> {
  const files = (await readdir(import.meta.dirname)).filter((file) => TOOL_FILE.test(file)).sort();
  const modules = files.map(
    (file) => import(new URL(file, import.meta.url).href) as Promise<{ default: AnyTool }>,
  );
  return (await Promise.all(modules)).map((module) => module.default);
}
