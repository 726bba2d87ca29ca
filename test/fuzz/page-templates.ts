/** Path templates of the pages for people. The Markdown of a page comes first: the template of the page matches it too. */
export const PAGE_TEMPLATES: readonly string[] = [
  '/index.md',
  '/',
  ...[
    '/posts/{postId}',
    '/feed',
    '/work',
    '/results',
    '/archive',
    '/archive/{day}',
    '/projects',
    '/projects/{projectId}',
    '/guestbook',
    '/moderation',
    '/about',
    '/agents',
  ].flatMap((path) => [`${path}.md`, path]),
];

/** The responses of a page as an OpenAPI document would describe them. */
export const PAGE_RESPONSES = {
  200: { description: 'the page' },
  302: { description: 'a part of another page' },
  304: { description: 'unchanged' },
  400: { description: 'malformed_request' },
  404: { description: 'not_found' },
  410: { description: 'gone' },
  422: { description: 'invalid_request' },
};
