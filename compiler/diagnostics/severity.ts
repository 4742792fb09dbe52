/** The importance of a finding. */
export type Severity = 'error' | 'warning' | 'hint';
