import * as z from 'zod';

/**
 * What the doctor found: plain data, as `tandem doctor --json` prints it and as the page gets it. Members are only ever
 * added within one `schema`. No token and no file content.
 */

export const finding = z.object({
  /** What kind of thing it is; stable. The table in docs/connecting.md names them. */
  id: z.string(),
  /**
   * `error`: an agent does not connect here, connects to nobody, or lets others in. `warning`: something does not work as
   * one would expect. `note`: worth knowing.
   */
  severity: z.enum(['error', 'warning', 'note']),
  /** The agent it is about; absent where it is about all of them. */
  agent: z.string().optional(),
  title: z.string(),
  cause: z.string(),
  consequence: z.string(),
  fix: z.object({
    command: z.string(),
    /** Where to type it. */
    place: z.enum(['shell', 'agent']),
    /** Whether `tandem doctor --fix` does it. */
    isAutomatic: z.boolean(),
  }),
  /** The files, or the folder, that it is about. */
  files: z.array(z.string()).optional(),
});
export type Finding = z.infer<typeof finding>;

const agentReport = z.object({
  id: z.string(),
  displayName: z.string(),
  /** Its program on the PATH. */
  program: z.object({ path: z.string(), version: z.string().optional(), isTested: z.boolean() }).optional(),
  /** Whether it is installed or has settings; what is not used has no findings of its own. */
  isUsed: z.boolean(),
  /** What it would do if it were started in this folder and shell now. */
  connection: z.object({
    kind: z.enum(['connects', 'asks', 'ambiguous', 'nothing']),
    /** The companion that it would connect to. */
    ideName: z.string().optional(),
    port: z.number().optional(),
    file: z.string().optional(),
    /** What that one answered: `tandem` after a whole handshake, `accepted` for a right token, and so on. */
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
  /** With `--fix`: the files that were removed, and why each was. */
  removed: z.array(z.object({ file: z.string(), reason: z.string() })).optional(),
});
export type DoctorReport = z.infer<typeof doctorReport>;
