import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readCompose } from '../../support/compose.ts';
import { LAUNCHER } from '../../support/product.ts';
import { DOMAIN } from './caddy.ts';
import { runCommand, type Sandbox } from './sandbox.ts';

/** `node`, the user of the image. */
export const IMAGE_USER = 1000;

/** A place of `compose.yaml` without containers: its volumes and its settings. */
export interface Place {
  readonly data: string;
  readonly backups: string;
  readonly settings: Readonly<Record<string, string>>;
  /**
   * Runs a command as a container does: by the user of the image, and with a file system that is read-only but for
   * the volumes, the temporary folder too.
   */
  readonly container: readonly string[];
}

/** Binds each volume onto itself, so that it stays writable when every other mount becomes read-only. */
const CONTAINER = `
  for volume in "$DATA" "$BACKUPS"; do mount --bind "$volume" "$volume"; done
  cut -d ' ' -f 5 /proc/self/mountinfo | while read -r mount; do
    case $mount in "$DATA" | "$BACKUPS" | /dev | /dev/* | /proc | /proc/* | /sys | /sys/*) ;;
    *) mount -o remount,bind,ro "$mount" ;; esac
  done
  exec setpriv --reuid ${IMAGE_USER} --regid ${IMAGE_USER} --clear-groups "$@"`;

/** @param port of the server */
export async function createPlace(
  sandbox: Sandbox,
  { port, caddyPort }: { readonly port: number; readonly caddyPort: number },
): Promise<Place> {
  const root = await sandbox.createFolder();
  chmodSync(dirname(root), 0o711);
  const [data, backups] = [join(root, 'data'), join(root, 'backups')];
  for (const volume of [data, backups]) {
    mkdirSync(volume, { mode: 0o700 });
    chownSync(volume, IMAGE_USER, IMAGE_USER);
  }
  const { services } = readCompose('compose.yaml', { DOMAIN: `${DOMAIN}:${caddyPort}`, CONTACT: 'nobody' });
  const environment = Object.entries(services['porchlight']!.environment!);
  // From source, tsx would keep a cache in the temporary folder.
  const variables = [`DATA=${data}`, `BACKUPS=${backups}`, 'TSX_DISABLE_CACHE=1'];
  return {
    data,
    backups,
    settings: {
      ...Object.fromEntries(environment.map(([name, value]) => [name, String(value)])),
      NODE_ENV: 'production',
      HOST: '0.0.0.0',
      PORT: String(port),
      DATA_DIR: data,
      TRUSTED_PROXIES: '127.0.0.1',
    },
    container: [
      ...['env', ...variables, 'unshare', '--mount', '--propagation', 'private'],
      ...['sh', '-ec', CONTAINER, 'sh'],
    ],
  };
}

/** Runs the shell script of the service `backup` once. */
export function backUp({ data, backups, container: [command = '', ...args] }: Place): void {
  const { services } = readCompose('compose.yaml', { DOMAIN, CONTACT: 'nobody' });
  const script = services['backup']!.command![0]!.replaceAll('/backups', backups)
    .replace('bin/porchlight.js', LAUNCHER)
    .replace(/sleep \d+/, 'exit 0');
  runCommand(command, ...args, 'env', `DATA_DIR=${data}`, 'sh', '-c', script);
}
