/** The attacks on bearer tokens, against a running gateway. */
import { request } from 'node:http';
import { startGateway } from '../../support/gateway.ts';
import { describeAttacks } from '../auth/attacks/suite.ts';
import { authPlan } from '../auth/incoming/harness.ts';
import { initializeText } from '../client-edge/fake-gateway.ts';

describeAttacks(async provider => {
  const gateway = await startGateway({ backends: [], incomingAuth: authPlan([provider]) });
  const { hostname, port } = new URL(gateway.url);
  const usual = ['Host', `${hostname}:${port}`, 'Content-Type', 'application/json'];
  const accept = ['Accept', 'application/json, text/event-stream'];
  return {
    send: headers =>
      new Promise((resolve, reject) => {
        const options = { method: 'POST', agent: false, headers: [...usual, ...accept, ...headers] };
        request(gateway.url, options, async answer => {
          let text = '';
          for await (const chunk of answer) text += chunk;
          const { statusCode: status = 0 } = answer;
          const challenge = answer.headers['www-authenticate'];
          resolve({ status, challenge, text: status === 200 ? undefined : JSON.parse(text).error_description });
        })
          .on('error', reject)
          .end(initializeText());
      }),
    close: () => gateway.stop(),
  };
});
