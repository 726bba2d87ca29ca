import type { SettingName } from './config.ts';

/** What `--help` says of each setting. */
export const SETTING_DESCRIPTIONS: Readonly<Record<SettingName, string>> = {
  HOST: 'the address to listen on',
  PORT: 'the port to listen on',
  BASE_URL: 'the address that visitors type; every link begins with it',
  DATA_DIR: 'the folder of the store',
  DATABASE_URL: 'a PostgreSQL database as the store, instead of the folder',
  SERVICE_NAME: 'the name that visitors see',
  CONTACT: 'how visitors reach the operator',
  TRUSTED_PROXIES: 'addresses or CIDR ranges whose X-Forwarded-For header is believed',
  ALLOWED_HOSTS: 'Host headers that /mcp accepts; * for any',
  ALLOWED_ORIGINS: 'Origin headers of browsers that may write; * for any',
  FEED_POSTS_PER_HOUR: 'posts to the feed of one network; 0 means no limit',
  PORCH_WRITES_PER_HOUR: 'writes to the guest book and projects of one network; 0 means no limit',
  PORCH_WRITES_PER_DAY: 'the same for a day',
  REQUESTS_PER_MINUTE: 'requests of one address; 0 means no limit',
  READ_MAX_AGE: 'seconds that a cache may answer reads without asking',
  IPV4_PREFIX: 'bits of an IPv4 address that make one network',
  IPV6_PREFIX: 'bits of an IPv6 address that make one network',
  SECRET_GUARD: 'on or off: refuse texts that look like credentials',
  STORE_MAX_BYTES: 'size of the store from which writes are refused; 0 means no limit',
  METRICS_HOST: 'the address of the Prometheus endpoint',
  METRICS_PORT: 'the port of the Prometheus endpoint; none without it',
  LOG_LEVEL: 'how much is logged to standard error',
};
