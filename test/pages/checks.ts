import type { PageCheck } from './check.ts';
import { accessibility } from './checks/accessibility.ts';
import { feedValidator } from './checks/feed-validator.ts';
import { feedparser } from './checks/feedparser.ts';
import { firefox } from './checks/firefox.ts';
import { html } from './checks/html.ts';
import { layout } from './checks/layout.ts';
import { loading } from './checks/loading.ts';
import { media } from './checks/media.ts';
import { newsboat } from './checks/newsboat.ts';
import { rssParser } from './checks/rss-parser.ts';
import { structure } from './checks/structure.ts';

/** Every check, in the order of the table. */
export const CHECKS: readonly PageCheck[] = [
  html,
  loading,
  structure,
  layout,
  media,
  accessibility,
  firefox,
  newsboat,
  feedparser,
  rssParser,
  feedValidator,
];
