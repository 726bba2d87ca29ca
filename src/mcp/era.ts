import type { Caller } from '#workspace/caller.ts';
import type { Message } from './message.ts';

/** One era of the protocol over HTTP, where a request stands for itself. */
export interface HttpEra {
  /** Whether a request is for this era to answer. */
  owns(request: Request, body: Message): Promise<boolean>;
  /** The request's signal tells when nobody waits for the answer any more. */
  answer(request: Request, body: Message, caller: Caller): Promise<Response>;
  /** Ends what is still streaming. */
  close(): Promise<void>;
}

/** Messages both ways over one connection. It has the form that both SDKs expect of a transport. */
export interface Channel {
  start(): Promise<void>;
  send(message: Message): Promise<void>;
  close(): Promise<void>;
  onmessage?: ((message: never) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
}

/** One era of the protocol over a connection, on behalf of one caller. */
export type Connect = (channel: Channel, caller: Caller) => Promise<void>;
