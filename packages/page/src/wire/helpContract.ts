import { none } from '@tandem/rpc';
import * as z from 'zod';

/** Help when something does not work. No token and no file content. */

const pageFinding = z.object({
  id: z.string(),
  severity: z.enum(['error', 'warning', 'note']),
  title: z.string(),
  cause: z.string(),
  consequence: z.string(),
  fix: z.object({ command: z.string(), place: z.enum(['shell', 'agent']) }),
});

/** The doctor's findings, by subject. */
const pageDiagnosis = z.object({
  folder: z.string(),
  isHealthy: z.boolean(),
  groups: z.array(
    z.object({
      /** An agent, or the folder and the shell. */
      name: z.string(),
      /** False for an agent that is not installed. */
      isLookedAt: z.boolean(),
      /** A summary in one sentence; absent if the findings say it. */
      state: z.string().optional(),
      findings: z.array(pageFinding),
    }),
  ),
});

/** One exchange between an agent and the companion: a request with its answer, or a notification. */
const pageExchange = z.object({
  id: z.int(),
  at: z.number(),
  agent: z.string(),
  agentName: z.string(),
  from: z.enum(['agent', 'companion']),
  kind: z.enum(['request', 'notification', 'answer']),
  method: z.string(),
  detail: z.string().optional(),
  answer: z
    .object({ afterMs: z.number().optional(), isError: z.boolean(), says: z.string().optional() })
    .optional(),
});

export const helpContract = {
  /** Checks files, ports and programs in the environment of the companion. May take some seconds. */
  diagnose: { params: none, result: pageDiagnosis },
  /**
   * The last messages, the oldest first. With the `version` of the last answer, `exchanges` are absent if there are no new
   * ones.
   */
  'trace.read': {
    params: z.object({ version: z.string().optional() }),
    result: z.object({ version: z.string(), exchanges: z.array(pageExchange).optional() }),
  },
  /** What a bug report needs, as Markdown: without tokens, file contents and the home folder's name. */
  'trace.report': {
    params: z.object({ agent: z.string().optional() }),
    result: z.object({ text: z.string() }),
  },
} as const;

export type PageFinding = z.infer<typeof pageFinding>;
export type PageDiagnosis = z.infer<typeof pageDiagnosis>;
export type PageExchange = z.infer<typeof pageExchange>;
