/** Which calls one caller may make, which policy decides them, and the matrix of many callers. */
export type { Claims, EvaluationContext } from './admission.ts';
export {
  type AccessAnswer,
  type AccessQuestion,
  createUndecidedAnswer,
  decideAccess,
  type UnknownName,
} from './answer.ts';
export { listCallerNotes } from './caller-notes.ts';
export { findClientName, type ToolOfBackend } from './client-name.ts';
export { type Expectation, readExpectations } from './expectations.ts';
export {
  buildMatrix,
  combineMatrices,
  formatServerName,
  MATRIX_FORMAT_VERSION,
  type Matrix,
  type MatrixFindings,
  type MatrixItem,
  type Persona,
  type ServerMatrix,
} from './matrix.ts';
export { type CellChange, diffMatrices, diffPersonas } from './matrix-difference.ts';
export { listReachedTools, type ReachedTools } from './reached-tools.ts';
export { readMatrix } from './read-matrix.ts';
export {
  createUndecidedRegistryAnswer,
  decideRegistryAccess,
  type RegistryAnswer,
  type RegistryQuestion,
} from './registry-answer.ts';
export { buildRegistryMatrix } from './registry-matrix.ts';
export { ANSWER_FORMATS, ANSWER_RENDERERS, type AnswerFormat } from './render/answer.ts';
export { MATRIX_FORMATS, MATRIX_RENDERERS, type MatrixFormat } from './render/matrix.ts';
export { renderMatrixDifference } from './render/matrix-difference.ts';
export { suggestName } from './suggest-name.ts';
export { listUnspecifiedClaims } from './unspecified-claims.ts';
