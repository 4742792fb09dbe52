import { alikeTools } from './alike-tools.ts';
import { anonymousReach } from './anonymous-reach.ts';
import { callersWithoutGroups } from './callers-without-groups.ts';
import { callersWithoutTokens } from './callers-without-tokens.ts';
import { clientQuestions } from './client-questions.ts';
import { compositeAnnotations } from './composite-annotations.ts';
import { compositeEscalation } from './composite-escalation.ts';
import { compositeToolNames } from './composite-tool-names.ts';
import { configuredNames } from './configured-names.ts';
import { deniedBackends } from './denied-backends.ts';
import { destructivePermits } from './destructive-permits.ts';
import { exchangeAudience } from './exchange-audience.ts';
import { expectations } from './expectations.ts';
import { headerCollisions } from './header-collisions.ts';
import { hiddenWinners } from './hidden-winners.ts';
import { idleToolSettings } from './idle-tool-settings.ts';
import { invalidTools } from './invalid-tools.ts';
import { listBudgets } from './list-budgets.ts';
import { nameCharacters } from './name-characters.ts';
import { nameCollisions } from './name-collisions.ts';
import { nameLengths } from './name-lengths.ts';
import { nothingOffered } from './nothing-offered.ts';
import { openServer } from './open-server.ts';
import { permitMovesWithPriority } from './permit-moves-with-priority.ts';
import { pinnedTools } from './pinned-tools.ts';
import { podLoopback } from './pod-loopback.ts';
import { podPrograms } from './pod-programs.ts';
import { policyNames } from './policy-names.ts';
import { policyNumbers } from './policy-numbers.ts';
import { policyOverlap } from './policy-overlap.ts';
import { policyPatterns } from './policy-patterns.ts';
import { policyValidation } from './policy-validation.ts';
import { reachableHiddenTools } from './reachable-hidden-tools.ts';
import { refusedPod } from './refused-pod.ts';
import { reservedNames } from './reserved-names.ts';
import type { GatewayRule } from './rule.ts';
import { saferOverrides } from './safer-overrides.ts';
import { serverLimits } from './server-limits.ts';
import { serverSignIn } from './server-sign-in.ts';
import { shadowedResources } from './shadowed-resources.ts';
import { sharedBackendAudiences } from './shared-backend-audiences.ts';
import { sharedSecrets } from './shared-secrets.ts';
import { similarNames } from './similar-names.ts';
import { taskOnlyTools } from './task-only-tools.ts';
import { tokenNotSent } from './token-not-sent.ts';
import { toolArguments } from './tool-arguments.ts';
import { toolOutputs } from './tool-outputs.ts';
import { toolReferences } from './tool-references.ts';
import { unlockedBackends } from './unlocked-backends.ts';
import { withheldTools } from './withheld-tools.ts';

export type { GatewayRule } from './rule.ts';

/** Every rule about a gateway as a whole, in the order in which its findings are easiest to read. */
export const GATEWAY_RULES: readonly GatewayRule[] = [
  unlockedBackends,
  pinnedTools,
  // Names and the list of tools.
  configuredNames,
  idleToolSettings,
  saferOverrides,
  nameCollisions,
  hiddenWinners,
  shadowedResources,
  reservedNames,
  compositeToolNames,
  nameLengths,
  nameCharacters,
  listBudgets,
  withheldTools,
  invalidTools,
  taskOnlyTools,
  alikeTools,
  // Workflows.
  toolReferences,
  serverLimits,
  toolArguments,
  toolOutputs,
  compositeAnnotations,
  clientQuestions,
  // Policies.
  policyValidation,
  policyNames,
  policyPatterns,
  policyNumbers,
  callersWithoutGroups,
  similarNames,
  policyOverlap,
  nothingOffered,
  permitMovesWithPriority,
  destructivePermits,
  // Reachability.
  anonymousReach,
  compositeEscalation,
  reachableHiddenTools,
  expectations,
  // The pods that serve the gateway.
  refusedPod,
  // Requests to backends.
  podLoopback,
  podPrograms,
  deniedBackends,
  tokenNotSent,
  callersWithoutTokens,
  exchangeAudience,
  sharedBackendAudiences,
  sharedSecrets,
  headerCollisions,
];

/** The rules that apply to the gateway of an MCPServer or MCPRemoteProxy. */
export const SERVER_RULES: readonly GatewayRule[] = [
  pinnedTools,
  serverSignIn,
  policyValidation,
  policyNames,
  policyPatterns,
  policyNumbers,
  callersWithoutGroups,
  similarNames,
  policyOverlap,
  nothingOffered,
  destructivePermits,
  openServer,
  refusedPod,
  exchangeAudience,
  headerCollisions,
];
