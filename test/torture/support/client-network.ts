import { randomBytes } from 'node:crypto';
import { missingRequirement } from './requirements.ts';
import { runCommand, type Sandbox } from './sandbox.ts';

/** The network of the clients: loopback, or a network namespace. */
export interface ClientNetwork {
  /** The command that starts a client in that network; empty for loopback. */
  readonly wrapper: readonly string[];
  /** The address on which the server has to listen. */
  readonly host: string;
  /** The client address that the server sees. */
  readonly peer: string;
  /** Why clients use loopback, which is exempt from some bounds; undefined if they do not. */
  readonly missingRequirement: string | undefined;
}

/** The smallest receive window of Linux, so that unread bytes stay in the server. */
const SMALLEST_WINDOW = 'net.ipv4.tcp_rmem=4096 4096 4096';

/** Creates a veth pair with a network namespace, or uses loopback if the machine does not allow that. */
export function clientNetwork(sandbox: Sandbox): ClientNetwork {
  const reason = missingRequirement('netns');
  if (reason !== undefined)
    return { wrapper: [], host: '127.0.0.1', peer: '127.0.0.1', missingRequirement: reason };
  const name = `pl${randomBytes(4).toString('hex')}`;
  const subnet = `10.${randomBytes(1)[0]!}.${randomBytes(1)[0]!}`;
  const ip = (...args: string[]): string => runCommand('ip', ...args);
  ip('netns', 'add', name);
  // Deleting the namespace deletes the pair.
  sandbox.defer(() => ip('netns', 'del', name));
  ip('link', 'add', name, 'type', 'veth', 'peer', 'name', 'peer', 'netns', name);
  ip('addr', 'add', `${subnet}.1/30`, 'dev', name);
  ip('link', 'set', name, 'up');
  ip('-n', name, 'addr', 'add', `${subnet}.2/30`, 'dev', 'peer');
  ip('-n', name, 'link', 'set', 'peer', 'up');
  const wrapper = ['ip', 'netns', 'exec', name];
  runCommand(wrapper[0]!, ...wrapper.slice(1), 'sysctl', '-qw', SMALLEST_WINDOW);
  return { wrapper, host: `${subnet}.1`, peer: `${subnet}.2`, missingRequirement: undefined };
}
