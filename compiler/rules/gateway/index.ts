import { alikeTools } from './alike-tools.ts';
import { annotationsTooSafe } from './annotations-too-safe.ts';
import { anonymousWrites } from './anonymous-writes.ts';
import { argumentsAgainstSchema } from './arguments-against-schema.ts';
import { audienceOfTwoBackends } from './audience-of-two-backends.ts';
import { callersWithoutGroups } from './callers-without-groups.ts';
import { callersWithoutTokens } from './callers-without-tokens.ts';
import { compositeEscalation } from './composite-escalation.ts';
import { compositeNamedLikeTool } from './composite-named-like-tool.ts';
import { configuredNames } from './configured-names.ts';
import { deniedBackends } from './denied-backends.ts';
import { destructiveForEveryone } from './destructive-for-everyone.ts';
import { exchangeForItself } from './exchange-for-itself.ts';
import { expectations } from './expectations.ts';
import { headerCollisions } from './header-collisions.ts';
import { hiddenWinner } from './hidden-winner.ts';
import { hiddenYetReachable } from './hidden-yet-reachable.ts';
import { idleToolSetting } from './idle-tool-setting.ts';
import { invalidTools } from './invalid-tools.ts';
import { listBudgets } from './list-budgets.ts';
import { loopbackInPod } from './loopback-in-pod.ts';
import { nameCharacters } from './name-characters.ts';
import { nameCollision } from './name-collision.ts';
import { nameLengths } from './name-lengths.ts';
import { nothingOffered } from './nothing-offered.ts';
import { numberNotExact } from './number-not-exact.ts';
import { openServer } from './open-server.ts';
import { overrideTooSafe } from './override-too-safe.ts';
import { patternFitsNothing } from './pattern-fits-nothing.ts';
import { permitMovesWithPriority } from './permit-moves-with-priority.ts';
import { policyNamesUnknownTool } from './policy-names-unknown-tool.ts';
import { policyOverlap } from './policy-overlap.ts';
import { policyValidation } from './policy-validation.ts';
import { programInPod } from './program-in-pod.ts';
import { refusedPod } from './refused-pod.ts';
import { reservedToolName } from './reserved-tool-name.ts';
import type { GatewayRule } from './rule.ts';
import { serverLimits } from './server-limits.ts';
import { serverSignIn } from './server-sign-in.ts';
import { shadowedResource } from './shadowed-resource.ts';
import { sharedSecrets } from './shared-secrets.ts';
import { similarNames } from './similar-names.ts';
import { taskOnlyTool } from './task-only-tool.ts';
import { tokenNotSent } from './token-not-sent.ts';
import { toolOutputs } from './tool-outputs.ts';
import { toolReferences } from './tool-references.ts';
import { unansweredQuestion } from './unanswered-question.ts';
import { unlockedBackends } from './unlocked-backends.ts';
import { unpinnedTools } from './unpinned-tools.ts';
import { withheldTools } from './withheld-tools.ts';

export type { GatewayRule } from './rule.ts';

/** Every rule about a gateway as a whole, in the order in which its findings are easiest to read. */
export const GATEWAY_RULES: readonly GatewayRule[] = [
  unlockedBackends,
  unpinnedTools,
  // Names and the list of tools.
  configuredNames,
  idleToolSetting,
  overrideTooSafe,
  nameCollision,
  hiddenWinner,
  shadowedResource,
  reservedToolName,
  compositeNamedLikeTool,
  nameLengths,
  nameCharacters,
  listBudgets,
  withheldTools,
  invalidTools,
  taskOnlyTool,
  alikeTools,
  // Workflows.
  toolReferences,
  serverLimits,
  argumentsAgainstSchema,
  toolOutputs,
  annotationsTooSafe,
  unansweredQuestion,
  // Policies.
  policyValidation,
  policyNamesUnknownTool,
  patternFitsNothing,
  numberNotExact,
  callersWithoutGroups,
  similarNames,
  policyOverlap,
  nothingOffered,
  permitMovesWithPriority,
  destructiveForEveryone,
  // Reachability.
  anonymousWrites,
  compositeEscalation,
  hiddenYetReachable,
  expectations,
  // The pods that serve the gateway.
  refusedPod,
  // Requests to backends.
  loopbackInPod,
  programInPod,
  deniedBackends,
  tokenNotSent,
  callersWithoutTokens,
  exchangeForItself,
  audienceOfTwoBackends,
  sharedSecrets,
  headerCollisions,
];

/** The rules that apply to the gateway of an MCPServer or MCPRemoteProxy. */
export const SERVER_RULES: readonly GatewayRule[] = [
  unpinnedTools,
  serverSignIn,
  policyValidation,
  policyNamesUnknownTool,
  patternFitsNothing,
  numberNotExact,
  callersWithoutGroups,
  similarNames,
  policyOverlap,
  nothingOffered,
  destructiveForEveryone,
  openServer,
  refusedPod,
  exchangeForItself,
  headerCollisions,
];
