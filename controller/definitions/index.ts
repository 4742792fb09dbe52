/** Checks whether the cluster's definitions of Lintel's kinds have the fields that this version knows. */
export { InstalledDefinitions } from './installed-definitions.ts';
