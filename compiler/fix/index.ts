/** Applies safe fixes, and reverts those that cause a finding. */
export { fixTexts } from './fix-texts.ts';
export type { PlannedFix, RemainingFix } from './planned-fixes.ts';
export { formatUnifiedDiff } from './unified-diff.ts';
