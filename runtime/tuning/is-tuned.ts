/**
 * Whether this process may tune V8: `LINTEL_TUNING=off` turns it off, to measure what each of these files saves. Not from `#shared/util`, because
 * `start-tiering.ts` has to run before any other module of the program.
 */
export const IS_TUNED = process.env.LINTEL_TUNING !== 'off';
