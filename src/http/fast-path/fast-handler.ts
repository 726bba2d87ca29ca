import type { IncomingMessage, ServerResponse } from 'node:http';

/** @returns false if Express has to handle the request; the handler has then neither read nor changed it */
export type FastHandler = (request: IncomingMessage, response: ServerResponse) => boolean;
