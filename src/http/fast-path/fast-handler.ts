import type { IncomingMessage, ServerResponse } from 'node:http';

/** @returns false if Express has to answer the request; the handler has then not touched it */
export type FastHandler = (request: IncomingMessage, response: ServerResponse) => boolean;
