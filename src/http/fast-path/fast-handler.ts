import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Returns false if Express has to handle the request, which the handler has then neither read nor changed.
 */
export type FastHandler = (request: IncomingMessage, response: ServerResponse) => boolean;
