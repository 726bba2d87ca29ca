import { randomBytes } from 'node:crypto';
import { missing } from './requirements.ts';
import { command, type Place } from './sandbox.ts';

/** Where clients run: beside the server, or on a network of their own. */
export interface ClientNetwork {
  /** What their command line is put behind. */
  readonly behind: readonly string[];
  /** Where the server has to listen to be reached. */
  readonly host: string;
  /** The address that the server sees. */
  readonly peer: string;
  /** Why the clients come from a loopback address, with which a server is less strict; undefined where they do not. */
  readonly missing: string | undefined;
}

/** The smallest that Linux allows: what a client does not read stays with the server. */
const SMALL_WINDOW = 'net.ipv4.tcp_rmem=4096 4096 4096';

/** A pair of interfaces with a network namespace behind it, or the loopback interface where there can be none. */
export function clientNetwork(place: Place): ClientNetwork {
  const reason = missing('netns');
  if (reason !== undefined) return { behind: [], host: '127.0.0.1', peer: '127.0.0.1', missing: reason };
  const name = `pl${randomBytes(4).toString('hex')}`;
  const subnet = `10.${randomBytes(1)[0]!}.${randomBytes(1)[0]!}`;
  const ip = (...args: string[]): string => command('ip', ...args);
  ip('netns', 'add', name);
  // The pair goes with its namespace.
  place.defer(() => ip('netns', 'del', name));
  ip('link', 'add', name, 'type', 'veth', 'peer', 'name', 'peer', 'netns', name);
  ip('addr', 'add', `${subnet}.1/30`, 'dev', name);
  ip('link', 'set', name, 'up');
  ip('-n', name, 'addr', 'add', `${subnet}.2/30`, 'dev', 'peer');
  ip('-n', name, 'link', 'set', 'peer', 'up');
  const behind = ['ip', 'netns', 'exec', name];
  command(behind[0]!, ...behind.slice(1), 'sysctl', '-qw', SMALL_WINDOW);
  return { behind, host: `${subnet}.1`, peer: `${subnet}.2`, missing: undefined };
}
