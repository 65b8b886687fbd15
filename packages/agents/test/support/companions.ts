import { type AgentProtocol, agents } from '../../src/index.js';
import { type CliManner, geminiManner, qwenManner } from './companionClient.js';

/** The two agents that speak the IDE companion protocol, each with the behaviour of its CLI. */
export const companions: readonly {
  readonly name: string;
  readonly protocol: AgentProtocol;
  readonly manner: CliManner;
}[] = [
  { name: 'Gemini CLI', protocol: agents.gemini, manner: geminiManner },
  { name: 'Qwen Code', protocol: agents.qwen, manner: qwenManner },
];
