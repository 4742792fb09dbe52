/** Incremental compilation. */
export { type Compiler, createCompiler, FRESH_COMPILER } from './compiler.ts';
