/** The first revision without a handshake, in which every request names its revision. */
export const PER_REQUEST_VERSION = '2026-07-28';

/** The revisions that open with `initialize`, newest first. */
export const HANDSHAKE_VERSIONS: readonly string[] = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
];

/** What the SDKs serve; known before they are loaded. */
export const PROTOCOL_VERSIONS = [PER_REQUEST_VERSION, ...HANDSHAKE_VERSIONS];

/** The request of PER_REQUEST_VERSION that is answered by a stream of notices. */
export const LISTEN = 'subscriptions/listen';
