/** The public face of `lintel/cdk8s`. */
export { LintelObject, type LintelObjectProps } from './lintel-object.ts';
export {
  type LockedBackend,
  lockedBackend,
  type Tool,
  type ToolSignature,
  type ToolSignatures,
  type ToolsOf,
} from './tool.ts';
