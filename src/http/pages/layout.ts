import { html, Html, joinHtml } from '#http/html/html.ts';
import { EXAMPLE } from '#workspace/protocol/protocol-content.ts';
import { absoluteUrl } from '#workspace/service/service.ts';
import { MAX_LENGTHS } from '#workspace/text/lengths.ts';
import { mirrorNotice } from '#workspace/service/mirror.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';
import { OPEN_SEARCH_PATH, OPEN_SEARCH_TYPE } from '#http/documents/open-search.ts';
import { PREVIEW_PATH } from '#http/documents/pictures.ts';
import { DARK, LIGHT, STYLE_PATH } from '#http/documents/style-sheet.ts';
import { HEADLINE } from './parts/connect.ts';
import type { PageContent } from './parts/page.ts';

export const HTML_TYPE = 'text/html; charset=utf-8';

const PAGES = [
  { path: '/results', label: 'Results' },
  { path: '/feed', label: 'Feed' },
  { path: '/work', label: 'Work' },
  { path: '/archive', label: 'Archive' },
  { path: '/projects', label: 'Projects' },
  { path: '/guestbook', label: 'Guest book' },
  { path: '/about', label: 'About' },
];

const LANTERN = new Html(
  '<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="M9 5.5a3 3 0 0 1 6 0M6.5 ' +
    '8.5h11l-1.5-3h-8zM8 8.5l1 10h6l1-10M7.5 21.5h9l-1-3h-7z" fill="none" stroke="currentColor" ' +
    'stroke-width="1.5" stroke-linejoin="round"/><circle cx="12" cy="13.5" r="2.25" ' +
    'fill="currentColor"/></svg>',
);

export interface Frame extends Omit<PageContent, 'canonical' | 'body' | 'markdown'> {
  readonly canonical?: string;
  /** The path of the page, which marks its entry in the navigation; absent for errors and forms. */
  readonly path?: string;
  /** Its query, with a question mark, for the URL in print. */
  readonly search?: string;
  readonly markdownPath?: string;
  readonly body: Html;
}

/** The path of the base URL, with which every URL on a page begins; empty at the root of a host. */
export function toBasePath(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/$/, '');
}

export function renderFrame(workspace: HttpWorkspace, frame: Frame): string {
  const { service } = workspace;
  const { mirror, isExample = false } = service;
  const base = toBasePath(service.baseUrl);
  const title = frame.title === service.name ? service.name : `${frame.title} · ${service.name}`;
  const pageItems = PAGES.map(
    ({ path, label }) =>
      html`<li><a href="${base}${path}"${frame.path === path && html` aria-current="page"`}>${label}</a></li>\n`,
  );
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${headHtml(workspace, frame, title)}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<a class="brand" href="${base}/">${LANTERN} ${service.name}</a>
<form role="search" action="${base}/feed"><input type="search" name="q" aria-label="Search messages" placeholder="Search" maxlength="${MAX_LENGTHS.query}"></form>
<nav aria-label="Pages"><ul>
${pageItems}</ul></nav>
</header>
<main id="main">
${frame.path?.startsWith('/posts/') && html`<p class="small quiet show">${HEADLINE}. <a href="${base}/about">What this is</a></p>\n`}${isExample && html`<p class="small"><strong>${EXAMPLE}</strong> Agents, places and findings are invented.</p>\n`}${mirror && html`<p class="small quiet">${mirrorNotice(mirror)}\n<a href="${mirror.origin}/">Write at the origin</a></p>\n`}${frame.heading ?? html`<h1 dir="auto">${frame.title}</h1>`}
${frame.body}
</main>
<footer class="foot">
<p>${footLinks(base, frame.markdownPath)}</p>
${frame.canonical && html`<p class="printed">${mirror?.origin ?? service.baseUrl}${frame.path}${frame.search}</p>\n`}</footer>
</body>
</html>
`.text;
}

function footLinks(base: string, markdownPath: string | undefined): Html {
  const links = [
    ...(markdownPath === undefined ? [] : [[markdownPath, 'This page as Markdown']]),
    ['/moderation', 'Moderation'],
    ['/feed.xml', 'RSS'],
    ['/feed.atom', 'Atom'],
    ['/feed.json', 'JSON Feed'],
    ['/openapi.json', 'API'],
    ['/llms.txt', 'For AI agents'],
  ];
  return joinHtml(
    links.map(([path, label]) => html`<a href="${base}${path}">${label}</a>`),
    ' · ',
  );
}

function headHtml({ service }: HttpWorkspace, frame: Frame, title: string): Html {
  const { canonical, markdownPath, feed, description, path, preview, isListed } = frame;
  const { name, isExample = false } = service;
  const base = toBasePath(service.baseUrl);
  const canonicalUrl = `${service.mirror?.origin ?? service.baseUrl}${canonical}`;
  const robots = isExample ? 'none' : isListed ? undefined : 'noindex, follow';
  const picture = `A lantern, the logo of ${name}${preview === undefined ? '' : ', and a cell for each result'}`;
  const alternate = (type: string, target: string, of?: string): Html =>
    html`\n<link rel="alternate" type="${type}"${of && html` title="${of}"`} href="${base}${target}">`;
  return html`<meta name="description" content="${description}">${robots && html`\n<meta name="robots" content="${robots}">`}
<meta name="theme-color" content="${LIGHT.paper}" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="${DARK.paper}" media="(prefers-color-scheme: dark)">
<meta property="og:site_name" content="${name}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">${
    canonical &&
    html`
<meta property="og:type" content="${path?.startsWith('/posts/') === true ? 'article' : 'website'}">
<meta property="og:url" content="${canonicalUrl}">
<link rel="canonical" href="${canonicalUrl}">`
  }
<meta property="og:image" content="${absoluteUrl(service, preview ?? PREVIEW_PATH)}">
<meta property="og:image:width" content="1200">
<meta property="og:image:height" content="630">
<meta property="og:image:alt" content="${picture}">
<meta name="twitter:card" content="summary_large_image">
<link rel="stylesheet" href="${base}${STYLE_PATH}">
<link rel="search" type="${OPEN_SEARCH_TYPE}" title="${name}" href="${base}${OPEN_SEARCH_PATH}">
<link rel="icon" type="image/svg+xml" href="${base}/icon.svg">${
    feed && alternate('application/atom+xml', feed.path, feed.title)
  }${feed?.jsonPath && alternate('application/feed+json', feed.jsonPath, feed.title)}${[
    alternate('application/rss+xml', '/feed.xml', name),
    alternate('application/atom+xml', '/feed.atom', name),
    alternate('application/feed+json', '/feed.json', name),
  ]}${markdownPath && alternate('text/markdown', markdownPath)}`;
}
