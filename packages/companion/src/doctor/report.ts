import * as z from 'zod';

/**
 * The report of the doctor: plain data, as `tandem doctor --json` prints it and as the page receives it. Within one
 * `schema`, members are only added. No token and no file content.
 */

export const finding = z.object({
  /** The stable kind of the finding. The table in docs/connecting.md lists them. */
  id: z.string(),
  /**
   * `error`: an agent does not connect here, connects to no companion, or a file lets other users in. `warning`:
   * something does not work as expected. `note`: useful information.
   */
  severity: z.enum(['error', 'warning', 'note']),
  /** The agent concerned; absent if it concerns all of them. */
  agent: z.string().optional(),
  title: z.string(),
  cause: z.string(),
  consequence: z.string(),
  fix: z.object({
    command: z.string(),
    /** Where to type the command. */
    place: z.enum(['shell', 'agent']),
    /** Whether `tandem doctor --fix` does it. */
    isAutomatic: z.boolean(),
  }),
  /** The files or the folder concerned. */
  files: z.array(z.string()).optional(),
});
export type Finding = z.infer<typeof finding>;

const agentReport = z.object({
  id: z.string(),
  displayName: z.string(),
  /** The agent's program on the PATH. */
  program: z.object({ path: z.string(), version: z.string().optional(), isTested: z.boolean() }).optional(),
  /** Whether it is installed or has settings. An unused agent has no findings of its own. */
  isUsed: z.boolean(),
  /** What the agent would do if it started in this folder and shell now. */
  connection: z.object({
    kind: z.enum(['connects', 'asks', 'ambiguous', 'nothing']),
    /** The companion that it would connect to. */
    ideName: z.string().optional(),
    /** Where it listens: a port, or the path of a socket. */
    port: z.number().optional(),
    socket: z.string().optional(),
    file: z.string().optional(),
    /** The answer of that companion: `tandem` after a complete handshake, `accepted` for a valid token, and so on. */
    answer: z.string().optional(),
  }),
});
export type AgentReport = z.infer<typeof agentReport>;

export const doctorReport = z.object({
  schema: z.literal(1),
  /** Unix milliseconds. */
  at: z.number(),
  folder: z.string(),
  /** No finding is an error. */
  isHealthy: z.boolean(),
  companions: z.array(
    z.object({
      pid: z.number(),
      version: z.string(),
      editor: z.string(),
      folders: z.array(z.string()),
      servesFolder: z.boolean(),
    }),
  ),
  agents: z.array(agentReport),
  /** Errors first, then warnings, then notes. */
  findings: z.array(finding),
  /** With `--fix`: the removed files, each with the reason. */
  removed: z.array(z.object({ file: z.string(), reason: z.string() })).optional(),
});
export type DoctorReport = z.infer<typeof doctorReport>;
