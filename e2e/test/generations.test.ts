import { describe, expect, it, onTestFinished } from 'vitest';
import { parseJson, pick } from '../src/json.js';
import { sdkGenerations } from '../src/sdkClients.js';
import { Stage } from '../src/stage.js';

/** Clients of three generations of the MCP SDK, on one companion at the same time. */
describe('MCP SDK 1.23, 1.32 and 2.x clients together', () => {
  it('list the tools, get the context, and receive the decisions of their own reviews only', async () => {
    const stage = await Stage.open();
    const seen = await stage.put('seen.txt', 'marker-77aa\n');
    const endpoint = stage.tandem.endpoint('gemini');
    const clients = [];
    for (const { name, connect } of sdkGenerations) {
      const agent = await connect(endpoint);
      onTestFinished(() => agent.client.close());
      const { session } = await stage.tandem.waitForEvent('session.connected', { agent: 'gemini' });
      clients.push({ name, agent, session });
    }

    for (const { agent } of clients) {
      const { tools } = await agent.client.listTools();
      expect(tools.map((tool) => tool.name)).toEqual(expect.arrayContaining(['openDiff', 'closeDiff']));
      await agent.waitForNotification('ide/contextUpdate');
    }
    await stage.tandem.run('focus', `${seen}:1:1-1:12`);
    for (const { agent } of clients) {
      await agent.waitForContext(seen, 'marker-77aa');
    }

    // All three propose the same path, so a wrong recipient of an answer would show.
    const path = await stage.put('same.txt', 'old\n');
    const reviews = [];
    for (const { name, agent, session } of clients) {
      expect(await agent.openDiff(path, `new by ${name}\n`)).toMatchObject({ content: [] });
      reviews.push(await stage.tandem.nextReview({ agent: 'gemini', session, path }));
    }
    const [first, second, third] = clients.map(({ agent }) => agent);
    await stage.tandem.accept(String(reviews[1]));
    await stage.tandem.reject(String(reviews[0]));
    const accepted = await second?.waitForNotification('ide/diffAccepted', path);
    expect(accepted?.params).toEqual({ filePath: path, content: 'new by 1.32\n' });
    const rejected = await first?.waitForNotification('ide/diffRejected', path);
    expect(rejected?.params).toEqual({ filePath: path });
    const closed = await third?.closeDiff(path);
    expect(parseJson(String(pick(closed, 'content', 0, 'text')))).toEqual({ content: 'new by 2.4\n' });
    expect(await stage.tandem.outcomeOf(String(reviews[2]))).toBe('withdrawn');

    const decisions = clients.map(({ agent }) =>
      agent.notifications.map(({ method }) => method).filter((method) => method.startsWith('ide/diff')),
    );
    expect(decisions).toEqual([['ide/diffRejected'], ['ide/diffAccepted'], []]);
  });
});
