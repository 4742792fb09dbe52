/** The exit codes that commands share, and how a command's help lists its own. */
export const USAGE_ERROR = 2;
export const INTERNAL_ERROR = 70;
/** The shell convention for a program that Ctrl-C ended: 128 plus the signal's number. */
export const INTERRUPTED = 130;

/** The meaning of code 2, for commands that read sources and `lintel.yaml`, and for commands that read neither. */
export const USAGE_OR_CONFIGURATION = 'usage or configuration error';
export const USAGE = 'usage error';

/** @param meanings by code; every command has the same code for an internal error */
export function exitCodesHelp(meanings: { readonly [code: number]: string }): string {
  const all = { ...meanings, [INTERNAL_ERROR]: 'internal error, please report it' };
  return ['\nExit codes:', ...Object.entries(all).map(([code, meaning]) => `  ${code.padEnd(4)}${meaning}`)].join('\n');
}
