/** The rules about the configuration of a registry server; `npm run generate` collects them from this folder. */
export { REGISTRY_RULES } from '../generated/rules.ts';
export type { RegistryRule } from './rule.ts';
