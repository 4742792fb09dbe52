import { Construct } from 'constructs';
import { Backend, Caller, Group, type ToolsOf, t, Workflow } from 'lintel/cdk8s';
import { catalog, type HelpdeskTools } from '../lintel.lock.ts';
import { personalToken, TeamGateway, type TeamProps } from '../standards/team-gateway.ts';

/** Support answers tickets: one at a time, or with the workflow `announce` all that a search finds. */
export class SupportTeam extends Construct {
  constructor(scope: Construct, id: string, { stage, issuer }: TeamProps) {
    super(scope, id);
    const group = new Group(this, 'group', { name: 'support', description: 'What customers ask' });
    const helpdesk = Backend.entry(this, 'helpdesk', {
      group,
      remoteUrl: 'https://helpdesk.acme.example/mcp',
      transport: 'streamable-http',
      auth: personalToken(this, 'helpdesk', stage),
      locked: catalog.helpdesk,
    });
    const { search_tickets, reply } = helpdesk.tools;

    const gateway = new TeamGateway(this, 'support', { stage, issuer, group });
    gateway.grant(Caller.group('support')).call(search_tickets, reply);
    const leads = gateway.grant(Caller.group('support-leads')).call(search_tickets, reply);
    if (stage.previews) leads.call(announcement(gateway, helpdesk.tools));
  }
}

/** A workflow that sends the same answer to all waiting customers: a person calls it once, and it replies to each ticket. */
function announcement(gateway: TeamGateway, { search_tickets, reply }: ToolsOf<HelpdeskTools>) {
  const announce = new Workflow(gateway, 'announce', {
    description: 'Tells every customer who waits and asked about a topic the same news',
    input: { topic: 'string', news: 'string' },
  });
  const { topic, news } = announce.input;
  const waiting = announce.step('waiting', search_tickets, { query: topic, status: 'waiting' });
  const told = announce.forEach('tell', waiting.output.tickets, reply, ticket => ({
    ticket: ticket.id,
    text: t`Dear ${ticket.customer}, news about ${topic}: ${news}`,
  }));
  announce.returns({ told: { type: 'integer', description: 'Customers who know now', value: told.output.completed } });
  return announce;
}
