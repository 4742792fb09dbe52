/** Requests that the server answers with elicitations until it has all input (SEP-2322). */
import {
  type InputRequest,
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { clientCapabilities } from './client-capabilities.ts';

/** The content of the sealed state that the client sends back in each round. */
export interface DialogueState {
  readonly round: number;
}

export interface Dialogue {
  readonly name: string;
  readonly description: string;
  /** The elicitations of each round. */
  readonly rounds: readonly InputRequests[];
  /** Whether the server gives the client a state to send back, which more than one round needs. */
  readonly keepsState?: boolean;
}

const ask = (message: string, field: string): InputRequest =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [field]: { type: 'string' } }, required: [field] },
  });

const confirm = (message: string): InputRequest =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
  });

const sample = (text: string, maxTokens: number): InputRequest =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens });

export const TOOL_DIALOGUES: readonly Dialogue[] = [
  {
    name: 'test_input_required_result_elicitation',
    description: 'Asks for a name.',
    rounds: [{ user_name: ask('What is your name?', 'name') }],
  },
  {
    name: 'test_streaming_elicitation',
    description: 'Asks whether to go on.',
    rounds: [{ confirm: confirm('Go on?') }],
  },
  {
    name: 'test_input_required_result_sampling',
    description: "Asks the client's model.",
    rounds: [{ capital_question: sample('What is the capital of France?', 100) }],
  },
  {
    name: 'test_input_required_result_list_roots',
    description: 'Asks for the roots.',
    rounds: [{ client_roots: inputRequired.listRoots() }],
  },
  {
    name: 'test_input_required_result_request_state',
    description: 'Asks for a confirmation and keeps a state.',
    rounds: [{ confirm: confirm('Please confirm') }],
    keepsState: true,
  },
  {
    name: 'test_input_required_result_tampered_state',
    description: 'Asks for a confirmation and trusts no changed state.',
    rounds: [{ confirm: confirm('Please confirm') }],
    keepsState: true,
  },
  {
    name: 'test_input_required_result_multiple_inputs',
    description: 'Asks three things at once.',
    rounds: [
      {
        user_name: ask('What is your name?', 'name'),
        greeting: sample('Generate a greeting', 50),
        client_roots: inputRequired.listRoots(),
      },
    ],
    keepsState: true,
  },
  {
    name: 'test_input_required_result_multi_round',
    description: 'Asks twice.',
    rounds: [
      { step1: ask('Step 1: What is your name?', 'name') },
      { step2: ask('Step 2: What is your favorite color?', 'color') },
    ],
    keepsState: true,
  },
  {
    name: 'test_input_required_result_capabilities',
    description: 'Asks only what the client is able to answer.',
    rounds: [{ user_name: ask('What is your name?', 'name'), greeting: sample('Generate a greeting', 50) }],
  },
];

export const PROMPT_DIALOGUE: Dialogue = {
  name: 'test_input_required_result_prompt',
  description: 'A prompt that asks for its context.',
  rounds: [{ user_context: ask('What context should the prompt use?', 'context') }],
};

/** The next elicitations, or undefined when the server has all input. */
export async function nextQuestion(
  { rounds, keepsState }: Dialogue,
  { mcpReq }: ServerContext,
  codec: RequestStateCodec<DialogueState>,
): Promise<InputRequiredResult | undefined> {
  const capabilities = clientCapabilities(mcpReq);
  const current = mcpReq.requestState<DialogueState>()?.round ?? 0;
  for (let round = current; round < rounds.length; round++) {
    const answerable = Object.entries(rounds[round] ?? {}).filter(([, request]) => isAble(capabilities, request));
    // Later rounds have not been elicited yet, so no answer in this request belongs to them.
    const open =
      round === current ? answerable.filter(([key, request]) => !isAnswered(key, request, mcpReq)) : answerable;
    if (open.length === 0) continue;
    const inputRequests = Object.fromEntries(open);
    return inputRequired({ inputRequests, ...(keepsState === true && { requestState: await codec.mint({ round }) }) });
  }
  return undefined;
}

function isAble(capabilities: object, { method }: InputRequest): boolean {
  return (method.split('/')[0] as string) in capabilities;
}

function isAnswered(key: string, { method }: InputRequest, { inputResponses }: ServerContext['mcpReq']): boolean {
  const response = inputResponse(inputResponses, key);
  switch (method) {
    case 'elicitation/create':
      return response.kind === 'elicit' && response.action === 'accept';
    case 'sampling/createMessage':
      return response.kind === 'sampling';
    default:
      return response.kind === 'roots';
  }
}
