import { absoluteUrl } from '#workspace/service.ts';
import { DAY_MS } from '#workspace/text/time.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';
import type { Document } from './document.ts';

const PATH = '/.well-known/security.txt';

/** The file must not be used after it expires, and should expire within a year (RFC 9116 section 2.5.5). */
const LIFETIME_MS = 180 * DAY_MS;

const E_MAIL_ADDRESS = /^[^\s@:/?#]+@[^\s@:/?#]+$/;

/** Creates `/.well-known/security.txt` (RFC 9116); nothing without a contact that is valid there. */
export function createSecurityDocuments({ service, now }: HttpWorkspace, cacheControl: string): Document[] {
  const contact = toContactUri(service.contact);
  if (contact === undefined) return [];
  const canonical = absoluteUrl(service, PATH);
  return [
    {
      path: PATH,
      summary: 'How to report a security problem (RFC 9116)',
      type: 'text/plain; charset=utf-8',
      cacheControl,
      // The expiry then changes once a day.
      maxAgeMs: DAY_MS,
      body: () => {
        const expires = new Date(now() + LIFETIME_MS).toISOString().replace(/\.\d+Z$/, 'Z');
        const lines = [
          `Contact: ${contact}`,
          `Expires: ${expires}`,
          'Preferred-Languages: en',
          // Web addresses in the file must be https (section 2.5.2).
          ...(canonical.startsWith('https:') ? [`Canonical: ${canonical}`] : []),
        ];
        return `${lines.join('\n')}\n`;
      },
    },
  ];
}

/**
 * Converts a contact to the URI that the file requires: `mailto:` is added to an e-mail address, and a URI of
 * e-mail, telephone or https is kept (section 2.5.3).
 * @returns undefined for any other text
 */
function toContactUri(contact: string | null): string | undefined {
  const text = contact?.trim() ?? '';
  if (E_MAIL_ADDRESS.test(text)) return `mailto:${text}`;
  return /^(?:https:\/\/|mailto:|tel:)\S+$/i.test(text) && URL.canParse(text) ? text : undefined;
}
