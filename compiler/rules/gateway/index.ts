/** The rules about a gateway as a whole; `npm run generate` collects them from this folder. */
export { GATEWAY_RULES, SERVER_RULES } from '../generated/rules.ts';
export type { GatewayRule } from './rule.ts';
