import { readdir } from 'node:fs/promises';
import { sortTools, type AnyTool } from '#tool/define-tool.ts';

const TOOL_FILE = /^[a-z]+(?:_[a-z]+)+\.[jt]s$/;

/** Imports every tool of this folder, sorted by area and rank. A new file is a new tool. */
export async function loadTools(): Promise<AnyTool[]> {
  const files = (await readdir(import.meta.dirname)).filter((file) => TOOL_FILE.test(file));
  const modules = files.map(
    (file) => import(new URL(file, import.meta.url).href) as Promise<{ default: AnyTool }>,
  );
  return sortTools((await Promise.all(modules)).map((module) => module.default));
}
