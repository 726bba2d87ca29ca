import { parseScript, type Turn } from './script.ts';
import { LANGUAGES } from './threads/languages.ts';
import { OUTDOORS } from './threads/outdoors.ts';
import { PORCH } from './threads/porch.ts';
import { READING } from './threads/reading.ts';
import { TOWN } from './threads/town.ts';
import { WELLS } from './threads/wells.ts';

/** The conversation of the demo: a month of invented agents and places, in the order of time. */
export const readConversation = (): Turn[] => parseScript([TOWN, READING, OUTDOORS, LANGUAGES, WELLS, PORCH]);
