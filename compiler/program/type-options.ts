/** Options of TypeScript, as a `tsconfig.json` says them. */

/** Where there is no configuration: strict, and modules as the bundler takes them. */
export const DEFAULTS = {
  strict: true,
  target: 'es2022',
  module: 'esnext',
  moduleResolution: 'bundler',
  allowImportingTsExtensions: true,
  resolveJsonModule: true,
  esModuleInterop: true,
};

/** Whatever is configured: nothing is written, and packages answer for themselves. */
export const ALWAYS = {
  noEmit: true,
  skipLibCheck: true,
  incremental: false,
  composite: false,
  declaration: false,
  declarationMap: false,
  noUnusedLocals: false,
  noUnusedParameters: false,
};
