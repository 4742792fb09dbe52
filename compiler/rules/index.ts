/** The rules about one object; `npm run generate` collects them from this folder. */
export { RULES } from './generated/rules.ts';
export type { Rule } from './rule.ts';
