/** TypeScript options, as in a `tsconfig.json`. */

/** The options of a program without a configuration: strict, and modules as the bundler resolves them. */
export const DEFAULTS = {
  strict: true,
  target: 'es2022',
  module: 'esnext',
  moduleResolution: 'bundler',
  allowImportingTsExtensions: true,
  resolveJsonModule: true,
  esModuleInterop: true,
};

/** Overrides any configuration: nothing is written, and errors inside of packages are ignored. */
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
