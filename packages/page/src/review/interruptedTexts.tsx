import { Badge, Button, IconButton, joinClasses, useLoaded } from '@tandem/chat-panel/primitives';
import { messageOf, visibleName } from '@tandem/core';
import { askBeforeDiscarding, interruptedGroup } from '@tandem/reviews';
import type { ReviewFacts } from '@tandem/rpc';
import { Copy, FileCheck, FileInput, type LucideIcon, Play, Trash2 } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { type Shell, useFocusRequest, useShell } from '../app/shell.js';
import { interruptedTab } from '../app/tabList.js';
import { usePage, usePageState } from '../client/pageContext.js';
import type { PageHost } from '../client/pageStore.js';
import { codePreferences } from '../client/preferences.js';
import { copyText } from '../client/textOutput.js';
import { Comparison } from '../documents/comparison.js';
import documentStyles from '../documents/documents.module.css';
import { askAsNeeded } from './askAsNeeded.js';
import styles from './queue.module.css';

const actionIcons: Readonly<Record<string, LucideIcon>> = { apply: FileCheck, discard: Trash2 };

/** The text of a review apart from the pending ones, which the host or this page keeps. */
interface InterruptedText {
  readonly key: string;
  /** Its number at the host; absent for one that only this page has. */
  readonly id?: string;
  readonly path: string;
  readonly label: string;
  /** Its origin, for the user; may be empty. */
  readonly from: string;
  readonly isEdited: boolean;
  readonly group: NonNullable<ReviewFacts['group']>;
  /** What is known of it; absent for one that only this page has. */
  readonly end?: ReviewFacts['end'];
  readonly read: () => Promise<string>;
  /** Opens its file with the text as an unsaved change, if it can be applied. Resolves to false if the user cancels. */
  readonly restore: (() => Promise<boolean>) | undefined;
  /** What else can be done with it. */
  readonly actions: readonly ReviewFacts['actions'][number][];
  /** Does one of the actions. Asks first. */
  readonly run: (action: string) => Promise<unknown>;
}

/** What a filter looks at. */
type ListedText = Pick<InterruptedText, 'label' | 'from'>;

/**
 * The reviews apart from the pending ones, each below its heading, the edited ones first: those that the host keeps, and those
 * that only this page has.
 */
export function InterruptedTexts({ isWanted }: { readonly isWanted: (text: ListedText) => boolean }) {
  const { host, store } = usePage();
  const shell = useShell();
  const interrupted = usePageState((state) => state.interrupted);
  const keptHere = usePageState((state) => state.keptHere);
  const texts: InterruptedText[] = [
    ...interrupted.map((review) => textAtHost(host, review, shell)),
    ...keptHere.map(({ key, agentName, path, label, content }) => {
      const forget = (): void =>
        store.setState((state) => ({ keptHere: state.keptHere.filter((text) => text.key !== key) }));
      return {
        key,
        path,
        label,
        group: interruptedGroup,
        from: agentName === '' ? '' : editOf(agentName),
        isEdited: true,
        read: async () => content,
        restore: async () => {
          await host.request('document.restore', { path, content });
          forget();
          return true;
        },
        actions: [{ id: 'discard', label: 'Discard', isDangerous: true }],
        run: async () => {
          if ((await shell.choose(askBeforeDiscarding([label]))) !== undefined) forget();
        },
      };
    }),
  ];
  const shown = texts
    .filter(isWanted)
    .toSorted((one, other) => Number(other.isEdited) - Number(one.isEdited));
  return [...new Set(shown.map(({ group }) => group.label))].map((label) => (
    <TextGroup key={label} texts={shown.filter(({ group }) => group.label === label)} />
  ));
}

function TextGroup({ texts }: { readonly texts: readonly InterruptedText[] }) {
  const { host, store } = usePage();
  const shell = useShell();
  const [failure, setFailure] = useState('');
  const discarded = texts.filter(({ actions }) => actions.some(({ id }) => id === 'discard'));
  const discardAll = async (): Promise<void> => {
    try {
      if ((await shell.choose(askBeforeDiscarding(discarded.map(({ label }) => label)))) === undefined)
        return;
      await host.request('review.discard', { ids: discarded.flatMap(({ id }) => id ?? []), answer: {} });
      store.setState({ keptHere: [] });
      setFailure('');
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  const [first] = texts;
  if (first === undefined) return null;
  const { label, text: meaning } = first.group;
  return (
    <section className={styles.interrupted} aria-label={`${label} reviews`}>
      <header className="line">
        <h3 className="grow small" title={meaning}>
          {label} <span className="numbers">{texts.length}</span>
        </h3>
        {discarded.length > 1 && (
          <Button kind="quiet" onClick={() => void discardAll()}>
            Discard all
          </Button>
        )}
      </header>
      <ul className={styles.texts}>
        {texts.map((text) => (
          <InterruptedItem key={text.key} text={text} />
        ))}
      </ul>
      <p className="small" role="status">
        {failure}
      </p>
    </section>
  );
}

function textAtHost(
  host: PageHost,
  { id, agentName, path, label, isEdited, group = interruptedGroup, end, actions }: ReviewFacts,
  shell: Shell,
): InterruptedText {
  return {
    key: id,
    id,
    path,
    label,
    from: isEdited ? editOf(agentName) : `proposed by ${visibleName(agentName)}`,
    isEdited,
    group,
    end,
    read: async () => (await host.request('interrupted.read', { id })).content,
    restore: actions.some((action) => action.id === 'apply')
      ? async () =>
          (await askAsNeeded(shell, (answer) => host.request('interrupted.restore', { id, ...answer }))) !==
          undefined
      : undefined,
    actions,
    run: async (action) => {
      const done = await askAsNeeded(shell, (answer) =>
        host.request('review.run', { id, action, ...answer }),
      );
      if (done?.note !== undefined) shell.notices.info(done.note);
    },
  };
}

function editOf(agentName: string): string {
  return `proposed by ${visibleName(agentName)}, edited by you`;
}

function InterruptedItem({ text }: { readonly text: InterruptedText }) {
  const shell = useShell();
  const { id, end } = text;
  const label = visibleName(text.label);
  const name = (
    <>
      {label}
      {end && <span className="muted small"> {end.label}</span>}
      <span className="visually-hidden">, {text.from}</span>
    </>
  );
  const title = [label, end?.label ?? '', text.from].filter((each) => each !== '').join(': ');
  return (
    <li>
      <TextActions text={text}>
        {id === undefined ? (
          <span className="grow truncate" title={title}>
            {name}
          </span>
        ) : (
          <button
            type="button"
            className={joinClasses('grow truncate', styles.interruptedName)}
            title={title}
            onClick={() => shell.showInterrupted(id)}
          >
            {name}
          </button>
        )}
      </TextActions>
    </li>
  );
}

/** A review apart from the pending ones as a diff of its file. */
export function InterruptedView({ id }: { readonly id: string }) {
  const { host } = usePage();
  const shell = useShell();
  const review = usePageState(({ interrupted }) => interrupted.find((each) => each.id === id));
  const mode = codePreferences((state) => state.diffMode);
  const { value, failure } = useLoaded(() => host.request('interrupted.read', { id }), [host, id]);
  const view = useRef<HTMLElement>(null);
  useFocusRequest(interruptedTab(id).key, () => view.current?.focus());
  if (review === undefined) return null;
  const text = textAtHost(host, review, shell);
  const label = visibleName(text.label);
  return (
    <section
      ref={view}
      tabIndex={-1}
      className={joinClasses('stack', documentStyles.view)}
      aria-label={`${text.group.label} review of ${label}`}
    >
      <header className={documentStyles.head}>
        <TextActions text={text} hasWords>
          <h2 title={visibleName(text.path)}>{label}</h2>
          {text.end && <Badge tip={text.end.text}>{text.end.label}</Badge>}
          <span className="grow muted small">{text.from}</span>
        </TextActions>
      </header>
      {failure !== undefined && <p role="alert">{failure}</p>}
      {value !== undefined && (
        <Comparison
          path={text.path}
          mode={mode}
          before={value.original}
          after={value.content}
          beforeLabel={`File when proposed: ${label}`}
          afterLabel={`${text.group.label}: ${label}`}
        />
      )}
    </section>
  );
}

interface TextActionsProps {
  readonly text: InterruptedText;
  /** Whether the buttons show words beside their icons. */
  readonly hasWords?: boolean;
  /** Before the buttons. */
  readonly children: ReactNode;
}

/** Opens, copies or discards a text, and says what came of it. */
function TextActions({ text, hasWords = false, children }: TextActionsProps) {
  const shell = useShell();
  const [result, setResult] = useState('');
  const label = visibleName(text.label);
  const attempt = async (run: () => unknown, done = ''): Promise<void> => {
    try {
      await run();
      setResult(done);
    } catch (error) {
      setResult(messageOf(error));
    }
  };
  const copy = async (): Promise<void> => copyText(await text.read());
  const { restore } = text;
  const open = async (): Promise<void> => {
    if (await restore?.()) await shell.openDocument(text.path);
  };
  const word = (name: string) => (hasWords ? { text: name } : {});
  return (
    <>
      <div className={joinClasses('line', hasWords && 'wraps')}>
        {children}
        {restore && (
          <IconButton
            icon={FileInput}
            {...word('Open')}
            label={`Open ${label} with this text`}
            onClick={() => void attempt(open)}
          />
        )}
        <IconButton
          icon={Copy}
          {...word('Copy')}
          label={`Copy the text of ${label}`}
          onClick={() => void attempt(copy, 'Copied.')}
        />
        {text.actions.map((action) => (
          <IconButton
            key={action.id}
            icon={actionIcons[action.id] ?? Play}
            {...word(action.label)}
            label={`${action.label} the text of ${label}`}
            onClick={() => void attempt(() => text.run(action.id))}
          />
        ))}
      </div>
      <p className="small" role="status">
        {result}
      </p>
    </>
  );
}
