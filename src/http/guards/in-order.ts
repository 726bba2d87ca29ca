import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const MAX_WAITING = 256;

interface Pipeline {
  last: ServerResponse | undefined;
  waiting: number;
}

/**
 * Handles the pipelined requests of each connection one after the other. Node would call the listener for all
 * of them at once and buffer every response until the previous ones are read, so that one packet could
 * request a thousand large pages. A connection with too many waiting requests is closed.
 */
export function handleInOrder(listener: RequestListener, maxWaiting = MAX_WAITING): RequestListener {
  const pipelines = new WeakMap<Socket, Pipeline>();
  return (request, response) => {
    const { socket } = request;
    let pipeline = pipelines.get(socket);
    if (pipeline === undefined) pipelines.set(socket, (pipeline = { last: undefined, waiting: 0 }));
    const { last } = pipeline;
    pipeline.last = response;
    if (last?.writableFinished !== false) {
      listener(request, response);
      return;
    }
    pipeline.waiting += 1;
    if (pipeline.waiting > maxWaiting) {
      socket.destroy();
      return;
    }
    last.once('close', () => {
      pipeline.waiting -= 1;
      if (!socket.destroyed) listener(request, response);
    });
  };
}
