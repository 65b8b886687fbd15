import { Option } from 'commander';
import { type TandemCommand, wholeNumber } from './tandemCommand.js';

/** The commands that list, show and decide reviews, and take accepted ones back. */
export function addReviewing(program: TandemCommand): void {
  const review = program
    .command('review')
    .description('review in the whole terminal; or list, show and decide reviews')
    .enablePositionalOptions()
    .helpCommand(false)
    .withHiddenJson()
    .option('--plain', 'ask in lines, without a full screen: for screen readers')
    .option('--popup', 'end when nothing is pending any more, for "tmux display-popup -E"')
    .addOption(
      new Option(
        '--wait [what]',
        'begin once a review is pending; "new": once another one is proposed. Without a terminal, end then',
      ).choices(['new']),
    )
    .onScreen(
      async (options) => (await import('../commands/reviewScreen.js')).reviewScreen(options),
      async (options) =>
        options.wait === undefined
          ? (await load()).list(options)
          : (await import('../commands/reviewScreen.js')).reviewScreen(options),
    );
  const load = () => import('../commands/review.js');
  review
    .command('list')
    .description('list pending and interrupted reviews')
    .option('--all', 'list all, also recently ended reviews, whose text is still available')
    .withJson()
    .onRun(async (options) => (await load()).list(options));
  review
    .command('show')
    .description('show a review as a diff')
    .argument('[id]', reviewIdHelp)
    .option('--content', 'print only the current text')
    .withJson()
    .onRun(async (options, [id]) => (await load()).show(id, options));
  review
    .command('accept')
    .description('accept a review, as it is or with your own text')
    .argument('[id]', reviewIdHelp)
    .option('--content-file <file>', 'accept the content of this file instead; - for standard input')
    .option('--overwrite', 'accept even if that undoes later changes to the file, or leaves conflict markers')
    .option('--session <id>', decideSessionHelp)
    .option('-y, --yes [kinds]', confirmHelp)
    .withJson()
    .onRun(async (options, [id]) => (await load()).accept(id, options));
  review
    .command('reject')
    .description('reject a review')
    .argument('[id]', reviewIdHelp)
    .option('--feedback', 'pass your comments to the agent, or print them for you to paste')
    .option('-m, --message <text>', 'feedback on the whole proposal; implies --feedback')
    .option('--session <id>', decideSessionHelp)
    .option('-y, --yes', 'reject a session without asking, including edited reviews')
    .withJson()
    .onRun(async (options, [id]) => (await load()).reject(id, options));
  review
    .command('let-go')
    .description('let an agent that waits go on without a decision; its change is not written')
    .argument('[id]', reviewIdHelp)
    .withJson()
    .onRun(async (options, [id]) => (await load()).act('letGo', id, { ...options, typed: 'review let-go' }));
  review
    .command('action')
    .description('do one of the actions that views offer for a review')
    .argument('<action>', 'its id, as in "review show --json"')
    .argument('[id]', reviewIdHelp)
    .option('-y, --yes [kinds]', confirmHelp)
    .withJson()
    .onRun(async (options, [action, id]) => (await load()).act(action, id, options));
  const loadComments = () => import('../commands/reviewComments.js');
  review
    .command('comment')
    .description('comment on lines of a review, or on the whole proposal; the review stays pending')
    .argument('<id>', 'the number of the review')
    .argument('[lines]', '12, 12-15 or FILE:12-15, counted from 1 in the proposed text')
    .option('-m, --message <text>', 'the comment')
    .option('--original', 'the lines are those of the file before the change')
    .option('--edit <number>', 'replace this comment')
    .option('--remove <number>', 'remove this comment')
    .withJson()
    .onRun(async (options, [id, lines]) => (await loadComments()).comment(id, lines, options));
  review
    .command('feedback')
    .description('pass your comments to the agent, or print them for you to paste; the review stays pending')
    .argument('<id>', 'the number of the review')
    .option('-m, --message <text>', 'feedback on the whole proposal')
    .withJson()
    .onRun(async (options, [id]) => (await loadComments()).sendFeedback(id, options));
  review
    .command('update')
    .description('merge later changes to the file into a review, which stays pending')
    .argument('[id]', reviewIdHelp)
    .option('--conflicts', 'also merge conflicting changes, with conflict markers')
    .withJson()
    .onRun(async (options, [id]) => (await load()).update(id, options));
  const interruptedIdHelp = 'the number of an interrupted review in "review list"';
  review
    .command('apply')
    .description('write an interrupted review to its file')
    .argument('<id>', interruptedIdHelp)
    .option('--conflicts', 'also write conflicting changes, with conflict markers')
    .option('-y, --yes [kinds]', confirmHelp)
    .withJson()
    .onRun(async (options, [id]) => (await load()).apply(id, options));
  review
    .command('discard')
    .description('discard an interrupted review')
    .argument('<id>', interruptedIdHelp)
    .option('--yes', 'ask nothing')
    .withJson()
    .onRun(async (options, [id]) =>
      (await load()).act('discard', id, { ...options, typed: 'review discard', done: 'is discarded' }),
    );
  for (const name of ['keep', 'drop'] as const) {
    review
      .command(name)
      .description(`${name} one hunk of the proposal; the review stays pending`)
      .usage('[options] [id] <hunk>')
      .argument('<id>', reviewIdHelp, wholeNumber)
      .argument('[hunk]', 'its number in "review show"', wholeNumber)
      .withJson()
      .onRun(async (options, [id, hunk]) => (await load()).toggleHunk([id, hunk], name === 'keep', options));
  }
  review
    .command('edit')
    .description('edit the proposed text in $VISUAL or $EDITOR; the review stays pending')
    .argument('[id]', reviewIdHelp)
    .withCompanion()
    .onRun(async (options, [id]) => (await load()).edit(id, options));
}

const confirmHelp =
  'confirm dangers without a question: git, runs, access, executable, hidden, outside, binary, unsaved, deleted, conflict, markers; several with commas. Alone, it confirms only the list of a session';
const decideSessionHelp =
  'all pending reviews of this session (the beginning of its id is enough); asks once';
const reviewIdHelp = 'the number of the review; optional if only one is pending';

export function addChanges(program: TandemCommand): void {
  const load = () => import('../commands/changes.js');
  const sessionOption = '--session <id>';
  const turnOption = '--turn <number>';
  program
    .command('changes')
    .description('show what agents wrote and waits for you, as a diff that "git apply" accepts')
    .option(sessionOption, 'only the changes of this session (the beginning of its id is enough)')
    .option(turnOption, 'only the changes of this turn of the session')
    .option('--all', 'also what you kept and accepted')
    .option('--since <time>', 'only what was written since then, such as 30m, 2h or 3d')
    .option('--stat', 'only the files, with the number of lines')
    .option('--forget', 'delete the history: all decided reviews and their texts, and the copies of files')
    .withJson()
    .onRun(async (options) => (await load()).changes(options));
  program
    .command('keep')
    .description('keep changes that agents wrote: they no longer wait for you')
    .argument('[what...]', 'numbers of edits (w1, …); or a file, also with lines: src/app.ts:12-20')
    .option(sessionOption, 'all changes of this session that are certainly its own')
    .option(turnOption, 'those of this turn of the session')
    .option('--file <file>', 'all changes to this file')
    .option('--all', 'all changes that are certainly those of agents')
    .option('--again', 'take that back: kept changes wait again')
    .option('--yes', 'ask nothing')
    .withJson()
    .onRun(async (options, [what]) => (await load()).keep(what, options));
  program
    .command('undo')
    .alias('restore')
    .description('undo changes of agents; later edits to the files are kept')
    .argument(
      '[what...]',
      'numbers of accepted reviews, of edits (w1, …) or of undos to redo (r1, …); or a file, also with lines: src/app.ts:12-20',
    )
    .option(sessionOption, 'all changes of this session that are certainly its own')
    .option(turnOption, 'those of this turn of the session')
    .option('--file <file>', 'all changes to this file')
    .option('--dry-run', 'only show what would happen')
    .option('--yes', 'ask nothing')
    .option('--conflicts', 'also write conflicting changes, with conflict markers')
    .withJson()
    .onRun(async (options, [what]) => (await load()).undo(what, options));
}
