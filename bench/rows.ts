import type { Data } from './data.ts';
import type { Programs } from './programs.ts';

interface RowOf {
  readonly path: string;
  /** The goal: at least, or at most, this value. Without either the row only shows it. */
  readonly atLeast?: number;
  readonly atMost?: number;
  /** The unit of the value, or for a ratio what it is relative to. */
  readonly unit?: 'ms' | 's' | 'bytes' | 'MB';
  readonly of?: string;
}

const RAW = 'raw node:http';
const SDK = 'the SDK as documented';
const BARE_NODE = 'bare node';
const APPEND = 'append + fdatasync';
const FIRST_EDITION = 'the first edition (6307442)';
const BESIDE = 'the commit of --beside';
const SECOND_EDITION = 'the second edition (9ec9ee02)';

/**
 * Every row of the table, in the order of the benches. HTTP uses 50 connections unless a row has another
 * number, and a server has taken 10,000 posts before a row of posts begins.
 */
export const ROWS = {
  newest: { path: 'GET /api/feed, 100,000 stored', atLeast: 1, of: RAW },
  newestProcessor: { path: 'the same, processor time', atMost: 1.3, of: RAW },
  notModified: { path: 'the same, not modified (304)', atLeast: 1.2, of: RAW },
  newestWhilePosting: { path: 'the same while one client posts 20 a second', atLeast: 0.8, of: RAW },
  homePage: { path: 'GET the home page', atLeast: 1, of: RAW },
  threadPage: { path: 'GET the page of a thread', atLeast: 1, of: RAW },
  uncachedPage: { path: 'the same, of 300 messages, not cached: processor time', atMost: 40, unit: 'ms' },
  uncachedPageTurn: {
    path: 'the same, longest response of /healthz meanwhile',
    atMost: 15,
    unit: 'ms',
  },

  posts: { path: 'POST /api/feed, 100,000 stored', atLeast: 1, of: 'an Express that stores nothing' },
  postProcessor: { path: 'the same, nothing stored, processor time', atMost: 1.25, of: FIRST_EDITION },
  beginProcessor: { path: 'the same', atMost: 0.95, of: BESIDE },
  replyProcessor: { path: 'a reply, processor time', atMost: 0.9, of: BESIDE },
  onePost: { path: 'POST /api/feed, 1 connection, median', atMost: 3.5, of: APPEND },
  flood: { path: '300 posts a second for 10 s, 100,000 stored: longest response', atMost: 50, unit: 'ms' },

  fourProcesses: {
    path: 'four servers on one folder, 1 connection each: posts a second',
    atLeast: 0.8,
    of: SECOND_EDITION,
  },
  fourProcessesSlowest: { path: 'four servers on one folder: slowest post', atMost: 60, unit: 'ms' },
  fourProcessesShare: {
    path: 'four servers on one folder: share of the server with the fewest',
    atLeast: 0.1,
    of: 'all posts',
  },
  importPercentile: {
    path: 'a post beside an import of 100,000 by another process, 99th percentile',
    atMost: 250,
    unit: 'ms',
  },
  importLongest: { path: 'the same, longest', atMost: 1000, unit: 'ms' },

  hot2025: { path: 'tools/call read_feed, 2025', atLeast: 0.6, of: RAW },
  hot2026: { path: 'tools/call read_feed, 2026', atLeast: 0.6, of: RAW },
  other2025: { path: 'every other call, 2025', atLeast: 6, of: SDK },
  other2026: { path: 'every other call, 2026', atLeast: 6, of: SDK },
  initialize: { path: 'initialize', atLeast: 3, of: SDK },
  discover: { path: 'server/discover, which an SDK answers', atLeast: 1, of: SDK },

  stdio2025: { path: 'read_feed over stdio, 100,000 stored, 2025', atLeast: 0.8, of: 'raw lines' },
  stdio2026: { path: 'read_feed over stdio, 100,000 stored, 2026', atLeast: 0.8, of: 'raw lines' },
  startHttp: { path: 'start of the package to GET /api/feed', atMost: 4.5, of: BARE_NODE },
  startStdio: { path: 'start of the package to initialize over stdio', atMost: 5, of: BARE_NODE },

  openLarge: { path: 'opening 100,000 messages', atMost: 3, of: 'JSON.parse of the log' },
  openLargest: {
    path: 'opening 300,000 messages',
    atMost: 3,
    of: 'JSON.parse of the log',
  },
  memory: { path: 'memory for a message, 300,000 stored', atMost: 420, unit: 'bytes' },
  memoryWithSearch: { path: 'the same with search', atMost: 520, unit: 'bytes' },
  erase: { path: 'an erase, 300,000 stored, median', atMost: 100, unit: 'ms' },
  readBesideErase: {
    path: 'GET a deep page beside erases, slowest',
    atMost: 100,
    unit: 'ms',
  },

  searchFrequent: { path: 'search for a frequent word, 300,000 stored', atMost: 5, unit: 'ms' },
  searchRare: { path: 'the same, a rare word', atMost: 60, unit: 'ms' },
  searchAbsent: { path: 'the same, an absent word', atMost: 60, unit: 'ms' },
  searchTurn: {
    path: 'the same, longest turn of the event loop',
    atMost: 15,
    unit: 'ms',
  },

  longThread: {
    path: 'one more step in a thread of 2,000, until its lists are up to date',
    atMost: 3,
    unit: 'ms',
  },
  findWork: { path: 'find_work, 20,000 steps, one more before each call', atMost: 5, unit: 'ms' },
  findWorkDatabase: { path: 'the same, PostgreSQL', atMost: 60, unit: 'ms' },
  threads: { path: 'view=threads after 100,000 new messages', atMost: 10, unit: 'ms' },
  threadsDatabase: { path: 'the same, PostgreSQL', atMost: 60, unit: 'ms' },

  windowRead: {
    path: 'every read of the tools over windows that strangers filled with 20,000 steps, one more step before each: processor time of the dearest',
    atMost: 20,
    unit: 'ms',
  },
  windowWrite: { path: 'the same, every write', atMost: 20, unit: 'ms' },
  windowTurn: { path: 'the same, longest turn of the event loop', atMost: 10, unit: 'ms' },
  windowHide: {
    path: 'a hold or a hide over such a window, and the lists after it: processor time',
    atMost: 50,
    unit: 'ms',
  },
  windowHideTurn: {
    path: 'the same, longest turn of the event loop',
    atMost: 20,
    unit: 'ms',
  },
  windowReadDatabase: { path: 'every read, PostgreSQL, without its own', atMost: 20, unit: 'ms' },
  windowWriteDatabase: { path: 'every write, PostgreSQL, without its own', atMost: 20, unit: 'ms' },
  windowHideDatabase: { path: 'a hold or a hide, PostgreSQL, without its own', atMost: 50, unit: 'ms' },

  waits: { path: '10,000 calls that wait: from the 201 to the last response', atMost: 1, unit: 's' },

  databaseNewest: { path: 'PostgreSQL, the newest 50, 100,000 stored', atLeast: 0.85, of: 'pg' },
  databasePosts: { path: 'PostgreSQL, POST /api/feed', atLeast: 3, of: 'one connection' },
  databaseInstances: { path: 'the same, two instances', of: 'one instance' },
  databaseSearch: { path: 'PostgreSQL, slowest of three searches, 1,000,000 stored', atMost: 60, unit: 'ms' },

  mirror: { path: 'a mirror copies 100,000 records', atMost: 30, unit: 's' },
  mirrorMemory: { path: 'the same, peak memory', atMost: 250, unit: 'MB' },
} as const satisfies Readonly<Record<string, RowOf>>;

export type RowName = keyof typeof ROWS;

export interface Settings {
  /** Measurements of each, after a warm-up. */
  readonly rounds: number;
  /** The duration of each load. */
  readonly seconds: number;
  /** An earlier commit. */
  readonly beside: string;
}

/** What a bench measures with. */
export interface BenchContext extends Settings {
  readonly data: Data;
  readonly programs: Programs;
  /** Prints a row. @param detail the absolute figures of a ratio */
  readonly row: (name: RowName, value: number, detail?: string) => void;
}

/** Measures some rows. */
export type Bench = (context: BenchContext) => Promise<void>;

export const TABLE_HEAD = '| path | goal | measured |\n|---|---|---|';

/** Formats a row of the output of a run, with a figure in bold that misses its goal. */
export function formatRow(name: RowName, value: number, detail?: string): string {
  const { path, atLeast, atMost }: RowOf = ROWS[name];
  const goal = atLeast ?? atMost;
  const isMet = atLeast === undefined ? value <= (goal ?? Infinity) : value >= atLeast;
  const figure = formatFigure(name, value);
  const measured = isMet ? figure : `**${figure}**`;
  const columns = [
    path,
    goal === undefined ? scaleOf(name) : `${atLeast === undefined ? '<=' : '>='} ${goal} ${scaleOf(name)}`,
    detail === undefined ? measured : `${measured} (${detail})`,
  ];
  return `| ${columns.join(' | ')} |`;
}

/** The rows that a user of the service cares about, as docs/performance.md calls them. */
const PUBLISHED: Partial<Record<RowName, string>> = {
  newest: 'Read the newest 50 messages of 100,000',
  threadPage: 'Open the page of a thread',
  posts: 'Post a message, 50 clients at once, 100,000 stored',
  flood: 'Longest response while 300 messages a second are posted',
  hot2026: 'Call `read_feed` over MCP',
  startStdio: 'Start over stdio, until `initialize` is answered',
  openLarge: 'Open a folder with 100,000 messages',
  searchRare: 'Search 300,000 messages for a rare word',
  waits: 'Answer 10,000 waiting calls',
  databasePosts: 'Post a message, 50 clients at once, on PostgreSQL',
};

export const PUBLISHED_HEAD = '| what | measured | beside it |\n|---|---|---|';

/**
 * Formats a row of docs/performance.md: the figure, and what it is measured beside.
 * @param detail of a ratio, the two figures
 * @returns undefined for a row that is not published
 */
export function formatPublished(name: RowName, value: number, detail = ''): string | undefined {
  const title = PUBLISHED[name];
  if (title === undefined) return undefined;
  const figure = formatFigure(name, value);
  const { unit, of }: RowOf = ROWS[name];
  if (unit !== undefined) return `| ${title} | ${figure} | ${detail} |`;
  const [measured, other] = detail.split(', ');
  return `| ${title} | ${measured} | ${figure} times ${of}, ${other} |`;
}

function formatFigure(name: RowName, value: number): string {
  const { unit }: RowOf = ROWS[name];
  return unit === undefined ? value.toFixed(2) : `${formatNumber(value)} ${unit}`;
}

/** @returns the unit, or what the value is relative to */
function scaleOf(name: RowName): string {
  const { unit, of, atMost }: RowOf = ROWS[name];
  return unit ?? `${atMost === undefined ? 'of' : 'x'} ${of}`;
}

/** Three digits; whole numbers from 100 on. */
export function formatNumber(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}

export const formatRate = (perSecond: number): string => `${formatNumber(perSecond)}/s`;
