/** The first revision without a handshake: every request names its revision in `_meta` (SEP-2575). */
export const PER_REQUEST_VERSION = '2026-07-28';

/** The revisions with `initialize`, newest first. */
export const HANDSHAKE_VERSIONS: readonly string[] = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
];

/** The revisions that the SDKs serve. Listed here because the SDKs load with the first request. */
export const PROTOCOL_VERSIONS = [PER_REQUEST_VERSION, ...HANDSHAKE_VERSIONS];

/** The method of PER_REQUEST_VERSION whose response is a stream of notifications (SEP-2575). */
export const LISTEN = 'subscriptions/listen';
