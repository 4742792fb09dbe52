/** Finds where the hash chain of an audit log is broken. */
export { readLogLines } from './read-log.ts';
export { type ChainProblem, type ChainVerification, MAX_PROBLEMS, verifyChain } from './verify-chain.ts';
