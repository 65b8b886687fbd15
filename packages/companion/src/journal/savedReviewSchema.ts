import { fileContent, reviewComment, sessionTurn } from '@tandem/rpc';
import * as z from 'zod';

const workEvidence = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('command'), commands: z.array(z.string()).readonly() }),
  z.object({ kind: z.literal('turn') }),
]);

const unkeptChange = z.object({
  why: z.enum([
    'hidden',
    'too-large',
    'link',
    'special',
    'unreadable',
    'not-read',
    'no-room',
    'mode',
    'more',
  ]),
  files: z.int().optional(),
});

const exactSide = z.object({
  is: z.string().optional(),
  size: z.number().optional(),
  mode: z.int().optional(),
});

/** The journal's form of a `SavedReview`. */
export const savedReview = z.object({
  key: z.string().regex(/^[0-9a-f]{24}$/),
  number: z.string().optional(),
  agent: z.string(),
  session: z.string(),
  path: z.string(),
  original: fileContent,
  proposed: z.string(),
  content: z.string(),
  keptHunks: z.array(z.boolean()).readonly(),
  comments: z.array(reviewComment).readonly().optional(),
  isOutsideWorkspace: z.boolean(),
  leadsTo: z.string().optional(),
  isInGitFolder: z.boolean().optional(),
  special: z.object({ kind: z.enum(['runs', 'access']), text: z.string() }).optional(),
  isExecutable: z.boolean().optional(),
  heldBack: z.string().optional(),
  openedAt: z.number(),
  interruptedAt: z.number().optional(),
  isAccepted: z.boolean().optional(),
  isAnswered: z.boolean().optional(),
  isHeld: z.boolean().optional(),
  isDeletion: z.boolean().optional(),
  agentChooses: z.string().optional(),
  decided: z
    .object({
      id: z.string(),
      at: z.number(),
      how: z.enum(['accepted', 'rejected', 'restored', 'written']),
      title: z.string().optional(),
      evidence: workEvidence.optional(),
      unkept: unkeptChange.optional(),
      turn: sessionTurn.optional(),
      isRemoval: z.boolean().optional(),
      isMixed: z.boolean().optional(),
      reversed: z.enum(['undone', 'redone']).optional(),
      encoding: z.string().optional(),
    })
    .optional(),
  keptAt: z.number().optional(),
  replaces: z.array(z.string()).readonly().optional(),
  exact: z.object({ before: exactSide, after: exactSide }).optional(),
});
