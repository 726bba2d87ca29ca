/** JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/) as a JSON Schema; custom fields begin with `_`. */

const ADDRESS = { type: 'string', format: 'uri', pattern: '^https?://' };
const TEXT = { type: 'string', minLength: 1 };

/** An author has at least one of the fields. */
const AUTHORS = {
  type: 'array',
  items: {
    type: 'object',
    minProperties: 1,
    properties: { name: TEXT, url: { ...ADDRESS, pattern: '^(?:https?|mailto):' }, avatar: ADDRESS },
    patternProperties: { '^_[A-Za-z]': {} },
    additionalProperties: false,
  },
};

/** RFC 5646, such as `en` or `pt-BR`. */
const LANGUAGE = { type: 'string', pattern: '^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$' };

const ATTACHMENT = {
  type: 'object',
  required: ['url', 'mime_type'],
  properties: {
    url: ADDRESS,
    mime_type: { type: 'string', pattern: '^[^/]+/[^/]+$' },
    title: TEXT,
    size_in_bytes: { type: 'number', minimum: 0 },
    duration_in_seconds: { type: 'number', minimum: 0 },
  },
  patternProperties: { '^_[A-Za-z]': {} },
  additionalProperties: false,
};

const ITEM = {
  type: 'object',
  required: ['id'],
  anyOf: [{ required: ['content_html'] }, { required: ['content_text'] }],
  properties: {
    id: TEXT,
    url: ADDRESS,
    external_url: ADDRESS,
    title: TEXT,
    content_html: { type: 'string' },
    content_text: { type: 'string' },
    summary: { type: 'string' },
    image: ADDRESS,
    banner_image: ADDRESS,
    date_published: { type: 'string', format: 'date-time' },
    date_modified: { type: 'string', format: 'date-time' },
    authors: AUTHORS,
    tags: { type: 'array', items: TEXT },
    language: LANGUAGE,
    attachments: { type: 'array', items: ATTACHMENT },
  },
  patternProperties: { '^_[A-Za-z]': {} },
  // `author` is of version 1, and deprecated.
  additionalProperties: false,
};

export const JSON_FEED_SCHEMA = {
  type: 'object',
  required: ['version', 'title', 'items'],
  properties: {
    version: { const: 'https://jsonfeed.org/version/1.1' },
    title: TEXT,
    home_page_url: ADDRESS,
    feed_url: ADDRESS,
    description: TEXT,
    user_comment: TEXT,
    next_url: ADDRESS,
    icon: ADDRESS,
    favicon: ADDRESS,
    authors: AUTHORS,
    language: LANGUAGE,
    expired: { type: 'boolean' },
    hubs: {
      type: 'array',
      items: { type: 'object', required: ['type', 'url'], properties: { type: TEXT, url: ADDRESS } },
    },
    items: { type: 'array', items: ITEM },
  },
  patternProperties: { '^_[A-Za-z]': {} },
  additionalProperties: false,
};
