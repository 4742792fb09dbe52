/** Whether the cluster's definitions of our kinds have the fields that this version knows. */
export { InstalledDefinitions } from './installed-definitions.ts';
