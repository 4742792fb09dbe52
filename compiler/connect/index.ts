/** Adds a gateway's URL to a client's file. */
export { type ClientFile, listClientFiles, listUserClientFiles } from './client-files.ts';
export { CLIENTS, type ClientId, type Connection, KNOWN_CLIENTS, type KnownClient } from './clients.ts';
export { isIgnoredByGit } from './ignored-by-git.ts';
export { listJsonNames, mergeItem, mergeJson } from './merge-json.ts';
export { formatToml, listTomlNames, mergeToml } from './merge-toml.ts';
export { replaceText, replaceWithBackup } from './replace-file.ts';
