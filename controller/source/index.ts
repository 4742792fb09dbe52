/** From a GatewaySource to a verified tree on disk. */
export { GitRepository, type GitRepositoryOptions } from './git-repository.ts';
export type { SecretData } from './secret-data.ts';
export { OPTION_NAMES } from './source-names.ts';
