/** What the plans of a bundle mean: functions that the compiler and the runtime must evaluate alike. */
export {
  appendToChain,
  CHAIN_START,
  type ChainHead,
  type ChainPosition,
  parseChainPosition,
} from './audit-chain.ts';
export { type CedarReads, readCedarUses } from './cedar-reads.ts';
export {
  ANONYMOUS_PRINCIPAL,
  buildCedarAttributes,
  buildCedarPrincipal,
  buildCedarRequest,
  CEDAR_ACTIONS,
  type CedarAction,
  type CedarCaller,
  type CedarPrincipal,
  type CedarRequest,
  type CedarTarget,
  type CedarValue,
  type EntityUid,
  readGroups,
  TOOL_HINTS,
  toCedarArguments,
} from './cedar-request.ts';
export { coerce, coerceArgument } from './coerce.ts';
export { foldName } from './fold-name.ts';
export {
  hasLineBreak,
  isCarrierHeader,
  isCredentialHeader,
  isHeaderName,
  isHeaderValue,
  isProtocolHeader,
  isRestrictedHeader,
} from './header-name.ts';
export { findIdleSettings, type IdleSetting } from './idle-settings.ts';
export { computeItemDigest } from './item-digest.ts';
export {
  type BackendNames,
  type Holder,
  isAdvertised,
  listPossibleNames,
  mayShow,
  type NamedItem,
  type NameResolution,
  resolvePromptNames,
  resolveToolNames,
  type WithheldItem,
  type WithholdReason,
} from './item-names.ts';
export { type ItemKey, type ItemList, type SplitItems, splitItems, type UnfitItem } from './offered-items.ts';
export {
  type OfferedTool,
  resolveTools,
  type ToolFault,
  type ToolOffer,
  type ToolResolution,
} from './offered-tools.ts';
export { type ParamHeader, type ParamHeaders, readParamHeaders } from './param-headers.ts';
export {
  declaresArgument,
  findAmbiguousArgument,
  findUndecidable,
  type NamedArguments,
  type PolicyArguments,
  pickNamed,
  selectPolicyArguments,
  toNamedArguments,
} from './policy-arguments.ts';
export {
  findOverride,
  presentPrompt,
  presentResource,
  presentTool,
} from './presented-item.ts';
export { toIncomingAuthPlan } from './registry-incoming-auth.ts';
export { hasClaims, listVisibleSources, type VisibleSources } from './registry-visibility.ts';
export { type BackendUris, type ResourceHolders, resolveResourceHolders } from './resource-holders.ts';
export { validateSchema } from './schema-shape.ts';
export { type CallableTools, findOwner, findStepTool, listArgumentTypes } from './step-tools.ts';
export { readScopes } from './token-scopes.ts';
export { MAX_URI_LENGTH, readUriTemplate, type Steps, UriTemplate } from './uri-template.ts';
export { listUriVariants } from './uri-variants.ts';
export { validateTool, validateToolName } from './validate-tool.ts';
export {
  buildWorkflowDefinition,
  deriveWorkflowHints,
  isSafeBy,
  readHint,
  SAFETY_CLAIMS,
  type SafetyHint,
  WORKFLOW_FAILURE,
  type WorkflowHints,
} from './workflow-definition.ts';
