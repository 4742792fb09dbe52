const PROGRAM = /\.(?:[cm]?[jt]s|[jt]sx)$/i;
const JAVASCRIPT = /\.[cm]?jsx?$/i;
const DECLARATIONS = /\.d\.(?:[cm]?ts|[^.]+\.ts)$/i;

/** Whether a file is a program, by its name. */
export function isProgram(path: string): boolean {
  return PROGRAM.test(path) && !DECLARATIONS.test(path);
}

/** Whether it is a JavaScript program. */
export function isJavaScript(path: string): boolean {
  return JAVASCRIPT.test(path);
}
