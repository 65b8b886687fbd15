import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson, pick, pickText } from './json.js';
import type { Sandbox } from './sandbox.js';

/** Calls the companion of a stage as the hooks of an agent process do. */
export class HookCaller {
  private constructor(
    private readonly url: string,
    private readonly token: string,
    private readonly agent: string,
    private readonly pid: number,
  ) {}

  /** `folder`: of the workspace, if several companions run. */
  static async of(
    { sandbox, folder = '' }: { readonly sandbox: Sandbox; readonly folder?: string },
    agent: string,
    pid: number,
  ): Promise<HookCaller> {
    const place = join(sandbox.state, 'tandem/companions');
    const names = await readdir(place);
    const texts = await Promise.all(names.map((name) => readFile(join(place, name), 'utf8')));
    const found = parseJson(texts.find((text) => text.includes(folder)) ?? '');
    const url = `http://127.0.0.1:${Number(pick(found, 'agentPort'))}/hook`;
    return new HookCaller(url, pickText(found, 'hookToken'), agent, pid);
  }

  /** Starts a hook in a terminal with this input. Resolves to the answer. */
  async call(input: object, mode: 'before' | 'after' = 'before'): Promise<unknown> {
    const { agent, pid } = this;
    const response = await fetch(this.url, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.token}` },
      body: JSON.stringify({ agent, pid, mode, isInteractive: true, input }),
    });
    return response.json();
  }
}
