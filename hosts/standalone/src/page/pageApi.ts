import type { Companion } from '@tandem/companion';
import type { CompanionChat } from '@tandem/companion/chat';
import { RefusedFileError } from '@tandem/companion/files';
import { DocumentError, HunkConflictError, ReviewDecidedError, UnanswerableError } from '@tandem/core';
import {
  type PageFailureCode,
  type PageMethod,
  type PageParams,
  type PageResult,
  pageMethods,
} from '@tandem/page/wire';
import { RpcError } from '@tandem/rpc';
import type { ChatFeed } from '../chat/chatFeed.js';
import { isDaemonError, pageChatCalls } from '../chat/pageChatCalls.js';
import { EditingError } from '../editor/editingError.js';
import type { PageEditor } from '../editor/pageEditor.js';
import { InvalidUpdateError } from '../editor/parseChanges.js';
import { documentCalls } from './documentCalls.js';
import { fileCalls } from './fileCalls.js';
import type { FolderWatch } from './folderWatch.js';
import { helpCalls } from './helpCalls.js';
import { interruptedCalls } from './interruptedCalls.js';
import type { LiveConnection } from './liveConnection.js';
import { PageFailure } from './pageAnswer.js';
import type { PageValues } from './pageValues.js';
import type { RestoredTexts } from './restoredTexts.js';
import { reviewCalls } from './reviewCalls.js';
import { sharingCalls } from './sharingCalls.js';
import { textCalls } from './textCalls.js';
import type { TextFeed } from './textFeed.js';
import type { WorkspaceIgnore } from './workspaceIgnore.js';
import type { WorkspacePaths } from './workspacePaths.js';

/** What the answers to the page are made with. */
export interface PageApiServices {
  readonly companion: Companion;
  readonly editor: PageEditor;
  readonly paths: WorkspacePaths;
  readonly values: PageValues;
  readonly texts: TextFeed;
  readonly restored: RestoredTexts;
  readonly folders: FolderWatch;
  /** For one listing. */
  readonly ignore: () => WorkspaceIgnore;
  readonly chat: CompanionChat;
  readonly chatFeed: ChatFeed;
}

/** Answers one method. The connection is that of the page that asks, while it has one. */
type PageCall<M extends PageMethod> = (
  params: PageParams<M>,
  connection: LiveConnection | undefined,
) => PageResult<M> | Promise<PageResult<M>>;

export type PageCalls = { readonly [M in PageMethod]: PageCall<M> };

/** What each method of the wire does. */
export function createPageCalls(services: PageApiServices): PageCalls {
  return {
    ping: () => null,
    ...reviewCalls(services),
    ...interruptedCalls(services),
    ...textCalls(services),
    ...documentCalls(services),
    ...fileCalls(services),
    ...sharingCalls(services),
    ...pageChatCalls(services),
    ...helpCalls(services),
  };
}

export function isPageMethod(name: string): name is PageMethod {
  return Object.hasOwn(pageMethods, name);
}

/** Runs one method. Rejects with `PageFailure`; with another error when it is our own fault. */
export async function callPageMethod<M extends PageMethod>(
  calls: PageCalls,
  method: M,
  value: unknown,
  connection: LiveConnection | undefined,
): Promise<PageResult<M>> {
  const parsed = pageMethods[method].params.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue?.path.join('.') || 'the parameters';
    throw new PageFailure('bad-request', `${method}: ${where}: ${issue?.message ?? 'not valid'}`);
  }
  try {
    // The schema that parsed is the one that belongs to this method.
    return await calls[method](parsed.data as PageParams<M>, connection);
  } catch (error) {
    throw asPageFailure(error);
  }
}

/** What the house throws, in the words of the page's wire. What it does not know it gives back as it is. */
function asPageFailure(error: unknown): unknown {
  if (error instanceof PageFailure) return error;
  const code = codeOf(error);
  return code === undefined || !(error instanceof Error)
    ? error
    : new PageFailure(code, error.message, { cause: error });
}

function codeOf(error: unknown): Exclude<PageFailureCode, 'unreachable'> | undefined {
  if (error instanceof EditingError) return error.code;
  if (error instanceof InvalidUpdateError) return 'bad-request';
  if (error instanceof ReviewDecidedError) return 'already-decided';
  if (error instanceof UnanswerableError || error instanceof HunkConflictError) return 'refused';
  // A hunk that the review does not have.
  if (error instanceof RangeError) return 'bad-request';
  if (error instanceof DocumentError) return error.code === 'not-found' ? 'not-found' : 'refused';
  if (isDaemonError(error) || error instanceof RefusedFileError) return 'refused';
  if (error instanceof RpcError && error.code !== 'internal') return 'refused';
  return undefined;
}
