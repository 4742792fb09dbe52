/** From a GatewaySource to a verified tree on disk. */

export { type ConnectionLimits, ConnectionScheduler, type ServerConnection } from './connection-scheduler.ts';
export { GitRepository, type GitRepositoryOptions } from './git-repository.ts';
export { parseRemoteHost } from './host-of.ts';
export { SECRET_KEYS, type SecretData } from './secret-data.ts';
export { OPTION_NAMES } from './source-names.ts';
