import { randomBytes } from 'node:crypto';
import { runCommand, type Sandbox } from './sandbox.ts';

/** A network namespace for clients. */
interface ClientNetwork {
  /** The command that starts a client in that network. */
  readonly wrapper: readonly string[];
  /** The address of this machine in that network. */
  readonly host: string;
}

/** Creates a veth pair with a network namespace. */
export function clientNetwork(sandbox: Sandbox): ClientNetwork {
  const name = `pl${randomBytes(4).toString('hex')}`;
  const subnet = `10.${randomBytes(1)[0]!}.${randomBytes(1)[0]!}`;
  const ip = (...args: string[]): string => runCommand('ip', ...args);
  ip('netns', 'add', name);
  // Deleting the namespace deletes the pair.
  sandbox.after(() => ip('netns', 'del', name));
  ip('link', 'add', name, 'type', 'veth', 'peer', 'name', 'peer', 'netns', name);
  ip('addr', 'add', `${subnet}.1/30`, 'dev', name);
  ip('link', 'set', name, 'up');
  ip('-n', name, 'addr', 'add', `${subnet}.2/30`, 'dev', 'peer');
  ip('-n', name, 'link', 'set', 'peer', 'up');
  return { wrapper: ['ip', 'netns', 'exec', name], host: `${subnet}.1` };
}
