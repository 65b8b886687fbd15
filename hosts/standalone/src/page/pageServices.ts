import type { Companion } from '@tandem/companion';
import type { CompanionChat } from '@tandem/companion/chat';
import type { Logger } from '@tandem/core';
import type { PageContract } from '@tandem/page/wire';
import type { WhenClosed } from '@tandem/reviews';
import type { Handlers } from '@tandem/rpc';
import type { ChatFeed } from '../chat/chatFeed.js';
import type { PageEditor } from '../editor/pageEditor.js';
import type { ChangeWatch } from './changeWatch.js';
import type { FolderWatch } from './folderWatch.js';
import type { LiveConnection } from './liveConnection.js';
import type { OpenConflicts } from './openConflicts.js';
import type { PageValues } from './pageValues.js';
import type { RestoredTexts } from './restoredTexts.js';
import type { TextFeed } from './textFeed.js';
import type { WorkspaceIgnore } from './workspaceIgnore.js';
import type { WorkspacePaths } from './workspacePaths.js';

/** The dependencies of the handlers of the page's calls. */
export interface PageServices {
  readonly companion: Companion;
  readonly editor: PageEditor;
  readonly paths: WorkspacePaths;
  readonly values: PageValues;
  readonly texts: TextFeed;
  readonly restored: RestoredTexts;
  readonly changeWatch: ChangeWatch;
  readonly openConflicts: OpenConflicts;
  readonly folders: FolderWatch;
  /** For one listing. */
  readonly ignore: () => WorkspaceIgnore;
  readonly chat: CompanionChat;
  readonly chatFeed: ChatFeed;
  readonly whenClosed: WhenClosed;
  readonly logger: Logger;
}

/** Answers the page's calls. `connection` is that of the calling page, if it has one. */
export type PageHandlers = Handlers<PageContract, LiveConnection | undefined>;
