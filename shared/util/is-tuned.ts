/** Whether code may run that only tunes V8: `LINTEL_TUNING=off` turns it off, to measure what it saves. */
export function isTuned(): boolean {
  return process.env.LINTEL_TUNING !== 'off';
}
