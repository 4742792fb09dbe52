import type { Severity } from '../diagnostics/severity.ts';

/** The order of severities. */
export const SEVERITY_RANK: { readonly [S in Severity]: number } = { hint: 0, warning: 1, error: 2 };
