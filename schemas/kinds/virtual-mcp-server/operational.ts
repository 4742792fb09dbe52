import { type TSchema, Type } from 'typebox';
import { duration } from '../blocks.ts';
import { fields, oneOf, record } from '../define.ts';

const circuitBreaker: TSchema = fields(
  'CircuitBreakerConfig',
  {
    enabled: Type.Optional(Type.Boolean({ default: false, description: 'Turn the circuit breaker on.' })),
    failureThreshold: Type.Optional(
      Type.Integer({
        minimum: 1,
        default: 5,
        description: 'Failed health checks and calls in a row after which the circuit of a backend opens.',
      }),
    ),
    timeout: Type.Optional(
      duration({
        default: '60s',
        description: 'How long the circuit stays open before one health check or call is let through; at least 1s.',
      }),
    ),
  },
  {
    description: 'Stops requests to a backend that keeps failing, and tries it again after `timeout`.',
    rules: [
      {
        rule: "!has(self.timeout) || duration(self.timeout) >= duration('1s')",
        message: 'circuitBreaker.timeout must be 1s or longer',
      },
    ],
  },
);

const failureHandling: TSchema = fields(
  'FailureHandlingConfig',
  {
    healthCheckInterval: Type.Optional(
      duration({ default: '30s', description: 'Time between two health checks of a backend.' }),
    ),
    healthCheckTimeout: Type.Optional(
      duration({
        default: '10s',
        description: 'Time limit of one health check; it should be less than `healthCheckInterval`.',
      }),
    ),
    unhealthyThreshold: Type.Optional(
      Type.Integer({
        minimum: 1,
        default: 3,
        description: 'Failed checks in a row after which a backend counts as unhealthy.',
      }),
    ),
    partialFailureMode: Type.Optional(
      oneOf(['fail', 'best_effort'], {
        default: 'fail',
        description:
          'What happens to requests while a backend is unavailable. `fail`: lists, calls, reads, prompts and completions fail with an error that names the backend. `best_effort`: lists contain the items of the other backends, and requests to these succeed. Without `failureHandling`: `best_effort`.',
      }),
    ),
    statusReportingInterval: Type.Optional(
      duration({ default: '30s', description: 'Time between two updates of health and phase in the status.' }),
    ),
    circuitBreaker: Type.Optional(circuitBreaker),
  },
  { description: 'What happens when backends fail.' },
);

const timeouts: TSchema = fields(
  'TimeoutConfig',
  {
    default: Type.Optional(
      duration({
        default: '30s',
        description:
          'How long the gateway waits for a backend to send something for a request: its response, or progress.',
      }),
    ),
    perWorkload: Type.Optional(
      record(duration({ description: 'Timeout of this backend, instead of `default`.' }), {
        description: 'Timeouts of single backends. The key is the name of the backend.',
      }),
    ),
  },
  { description: 'Timeouts of requests to backends.' },
);

export const operational: TSchema = fields(
  'OperationalConfig',
  {
    logLevel: Type.Optional(oneOf(['', 'debug'], { description: 'Least severe level that is logged. Empty: `info`.' })),
    timeouts: Type.Optional(timeouts),
    failureHandling: Type.Optional(failureHandling),
  },
  { description: 'Logging, timeouts and health of backends.' },
);
