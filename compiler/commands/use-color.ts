/**
 * Whether a stream gets colors. Variables decide in this order: `NO_COLOR` turns colors off, `FORCE_COLOR` turns them on
 * (`0` and `false` off, as in Node), and a terminal that calls itself `dumb` shows escape sequences as text.
 *
 * @see https://no-color.org and https://force-color.org
 */
export function useColor(
  stream: Pick<NodeJS.WriteStream, 'isTTY'>,
  { NO_COLOR = '', FORCE_COLOR = '', TERM = '' }: NodeJS.ProcessEnv = process.env,
): boolean {
  if (NO_COLOR !== '') return false;
  if (FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return TERM !== 'dumb' && stream.isTTY === true;
}
