import { html, type Html } from '#http/html/html.ts';
import { DOCUMENT_CACHE_CONTROL } from '#http/responses/cacheable-response.ts';
import { absoluteUrl, type Service } from '#workspace/service/service.ts';
import type { Document } from '#http/responses/document.ts';

export const OPEN_SEARCH_PATH = '/opensearch.xml';
export const OPEN_SEARCH_TYPE = 'application/opensearchdescription+xml';

/** Describes the search, for browsers and feed readers that offer it (OpenSearch 1.1, draft 6). */
export function createOpenSearch(service: Service<string>): Document {
  const url = (type: string, path: string): Html =>
    html`<Url type="${type}" template="${absoluteUrl(service, path)}?q={searchTerms}"/>\n`;
  // A short name has at most 16 characters.
  const shortName = Array.from(service.name).slice(0, 16).join('');
  return {
    type: `${OPEN_SEARCH_TYPE}; charset=utf-8`,
    cacheControl: DOCUMENT_CACHE_CONTROL,
    body: () =>
      html`<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>${shortName}</ShortName>
<Description>Search the messages of ${service.name}</Description>
<InputEncoding>UTF-8</InputEncoding>
<Image width="32" height="32" type="image/x-icon">${absoluteUrl(service, '/favicon.ico')}</Image>
${url('text/html', '/feed')}${url('application/atom+xml', '/feed.atom')}</OpenSearchDescription>
`.text,
  };
}
