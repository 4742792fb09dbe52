/** Switches and small numbers, which are never secret. */
export function isHarmless(value: string): boolean {
  return /^(?:true|false|yes|no|on|off|\d{0,4})$/i.test(value);
}
