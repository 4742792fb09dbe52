/** The exit codes that commands share, and how the help of a command lists its own. */
export const USAGE_ERROR = 2;
export const INTERNAL_ERROR = 70;
/** As shells have it for a program that Ctrl-C ended: 128 and the number of the signal. */
export const INTERRUPTED = 130;

/** What code 2 means to a command that reads sources and `lintel.yaml`, and to one that reads neither. */
export const USAGE_OR_CONFIGURATION = 'usage or configuration error';
export const USAGE = 'usage error';

/** @param meanings by code; that of an internal error is the same for every command */
export function exitCodesHelp(meanings: { readonly [code: number]: string }): string {
  const all = { ...meanings, [INTERNAL_ERROR]: 'internal error, please report it' };
  return ['\nExit codes:', ...Object.entries(all).map(([code, meaning]) => `  ${code.padEnd(4)}${meaning}`)].join('\n');
}
