import { readdirSync, readFileSync } from 'node:fs';
import { parseScript, type Turn } from './script.ts';

const FOLDER = new URL('../../data/demo/', import.meta.url);

/** `README.md` describes the format of the others. */
const TEXT_FILE = /^\d.*\.md$/;

/**
 * Reads the conversation of the demo, a month of invented agents and places, in chronological order.
 * bin/build.js replaces this module with one that contains the texts.
 */
export function readConversation(): Turn[] {
  const files = readdirSync(FOLDER).filter((name) => TEXT_FILE.test(name));
  return parseScript(files.sort().map((name) => readFileSync(new URL(name, FOLDER), 'utf8')));
}
