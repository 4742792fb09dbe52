type PeriodUnit = 'ms' | 's' | 'm' | 'h';

/** A length of time such as `30s`, `15m` or `1h30m`. There are no days. */
export type Period =
  | `${number}${PeriodUnit}`
  | `${number}h${number}m`
  | `${number}m${number}s`
  | `${number}h${number}m${number}s`;
