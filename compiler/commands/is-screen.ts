/** Whether a stream is a terminal with cursor control: a dumb terminal shows escape sequences as text. */
export function isScreen(
  stream: Pick<NodeJS.WriteStream, 'isTTY'>,
  { TERM = '' }: NodeJS.ProcessEnv = process.env,
): boolean {
  return stream.isTTY === true && TERM !== 'dumb';
}
