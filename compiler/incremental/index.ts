/** Compiles again at the cost of what changed. */
export { type Compiler, createCompiler, FRESH_COMPILER } from './compiler.ts';
