import type { ChatChoices } from '@tandem/chat/model';
import { visibleName } from '@tandem/core';
import { ArrowUp, ImagePlus, Square, X } from 'lucide-react';
import {
  type ClipboardEvent,
  type KeyboardEvent,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { IconButton, joinClasses, Select, Spacer } from '../primitives/index.js';
import styles from './chatPanel.module.css';
import { shortCount } from './chatWords.js';
import { type CompletionItem, CompletionList, queryAt, useCompletion } from './completion.js';
import { DraftImages, pictureObstacle, pictureTypes, readPictures, sendDraft } from './draft.js';
import { useChat, useModel, usePanel } from './panelState.js';

const help = 'Ask a question or describe a change. @ adds a file, / a command.';

/** The message field. Enter sends, Shift+Enter inserts a line break; `@` and `/` are completed. */
export function Composer() {
  const { host, panel } = useChat();
  const draft = usePanel((values) => values.draft);
  const edited = usePanel((values) => values.edited);
  const images = usePanel((values) => values.images);
  const focusRequest = usePanel((values) => values.focusRequest);
  const turn = useModel((model) => model.turn.state);
  const noPictures = useModel(pictureObstacle);
  const suggestion = useModel((model) => model.suggestion);
  const asks = useModel((model) => model.pending.length > 0);
  const isConnected = useModel((model) => model.connection.state === 'connected');
  const [caret, setCaret] = useState(0);
  const [isClosed, setClosed] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const wantedCaret = useRef<number | undefined>(undefined);
  const id = useId();
  const query = isClosed ? undefined : queryAt(draft, caret);
  const { items, selected, select } = useCompletion(query);
  const isCompleting = query !== undefined && items.length > 0;
  const isEmpty = draft.trim() === '' && images.length === 0;
  const blocked = images.length > 0 ? noPictures : undefined;
  const obstacle = isConnected ? (isEmpty ? 'Write something first' : blocked) : 'Not connected';

  const seenRequest = useRef(0);
  useEffect(() => {
    if (focusRequest === seenRequest.current) return;
    seenRequest.current = focusRequest;
    // A webview would take the focus from the editor.
    if (!document.hasFocus()) return;
    const { current } = field;
    current?.focus();
    current?.setSelectionRange(current.value.length, current.value.length);
  }, [focusRequest]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text.
  useLayoutEffect(() => {
    const { current } = field;
    if (current === null) return;
    // Before the next key, which would otherwise be inserted at the end.
    if (wantedCaret.current !== undefined)
      current.setSelectionRange(wantedCaret.current, wantedCaret.current);
    wantedCaret.current = undefined;
    current.style.height = 'auto';
    current.style.height = `${current.scrollHeight}px`;
  }, [draft, asks]);
  useEffect(() => {
    if (!isCompleting) return undefined;
    const words = `${items.length} completions`;
    panel.announce(words);
    return () => panel.clearAnnouncement(words);
  }, [isCompleting, items.length, panel]);

  const setDraft = (text: string, at: number): void => {
    setCaret(at);
    setClosed(false);
    panel.set({ draft: text });
  };
  const pick = (item: CompletionItem | undefined): void => {
    if (item === undefined || query === undefined) return;
    const text = draft.slice(0, query.from) + item.insert + draft.slice(query.to).replace(/^ /, '');
    const at = query.from + item.insert.length;
    const token = item.insert.trimEnd();
    if (item.mention !== undefined) {
      const others = panel.values.mentions.filter((mention) => mention.token !== token);
      panel.set({ mentions: [...others, { ...item.mention, token }] });
    }
    wantedCaret.current = at;
    setDraft(text, at);
  };
  const addPictures = async (files: readonly File[]): Promise<void> => {
    await panel.attempt('The picture was not added', async () => {
      if (noPictures !== undefined) throw new Error(noPictures);
      const added = await readPictures(files);
      panel.set({ images: [...panel.values.images, ...added] });
    });
  };
  const onPaste = (event: ClipboardEvent): void => {
    const files = [...event.clipboardData.files].filter(({ type }) => pictureTypes.includes(type));
    if (files.length === 0) return;
    event.preventDefault();
    void addPictures(files);
  };
  const send = (): void => void sendDraft(host, panel);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    const { key } = event;
    const isPlain = !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey;
    if (isCompleting && (key === 'ArrowDown' || key === 'ArrowUp')) {
      select((selected + (key === 'ArrowDown' ? 1 : -1) + items.length) % items.length);
    } else if (isCompleting && isPlain && (key === 'Enter' || key === 'Tab')) pick(items[selected]);
    else if (isCompleting && key === 'Escape') setClosed(true);
    else if (key === 'Enter' && isPlain) send();
    else if (key === 'Escape' && edited !== undefined) panel.clearDraft();
    else if (key === 'ArrowUp' && isPlain && draft === '') editLast({ host, panel });
    else return;
    event.preventDefault();
    // Not a key of the page.
    event.stopPropagation();
  };
  const onSelect = (): void => setCaret(field.current?.selectionStart ?? 0);

  return (
    <div className={styles.composer}>
      {isCompleting && <CompletionList id={`${id}-list`} items={items} selected={selected} onPick={pick} />}
      {edited !== undefined && (
        <p className="line muted small">
          You are editing an earlier message. When you send it, all later messages are removed. Changed files
          are not restored.
          <IconButton icon={X} label="Stop editing" onClick={() => panel.clearDraft()} />
        </p>
      )}
      <div className={styles.box}>
        <DraftImages />
        <textarea
          ref={field}
          className={styles.field}
          rows={1}
          aria-label="Message to Qwen"
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-controls={isCompleting ? `${id}-list` : undefined}
          aria-activedescendant={isCompleting ? `${id}-list-${selected}` : undefined}
          aria-describedby={`${id}-help`}
          placeholder={suggestion ?? (asks ? 'Message to Qwen' : help)}
          value={draft}
          spellCheck
          onChange={(event) => setDraft(event.target.value, event.target.selectionStart)}
          onKeyDown={onKeyDown}
          onSelect={onSelect}
          onBlur={() => setClosed(true)}
          onFocus={() => setClosed(false)}
          onPaste={onPaste}
        />
        <span id={`${id}-help`} className="visually-hidden">
          Enter sends, Shift+Enter inserts a line break.
        </span>
        <div className={joinClasses('line wraps', styles.tools)}>
          <ModelPickers />
          <Spacer />
          <input
            ref={picker}
            type="file"
            hidden
            multiple
            accept={pictureTypes.join(',')}
            onChange={(event) => {
              void addPictures([...(event.target.files ?? [])]);
              event.target.value = '';
            }}
          />
          <IconButton
            icon={ImagePlus}
            label="Add a picture"
            obstacle={noPictures}
            onClick={() => (noPictures === undefined ? picker.current?.click() : void addPictures([]))}
          />
          {turn !== 'idle' && (
            <IconButton
              icon={Square}
              label={turn === 'stopping' ? 'Stopping' : 'Stop'}
              className={styles.stop}
              isDisabled={turn === 'stopping'}
              onClick={() =>
                void panel.attempt('The answer was not stopped', () => host.call('chat.cancel', {}))
              }
            />
          )}
          {(turn === 'idle' || !isEmpty) && (
            <IconButton
              icon={ArrowUp}
              label={turn === 'idle' ? 'Send' : 'Send after this answer'}
              className={styles.send}
              obstacle={obstacle}
              onClick={send}
            />
          )}
        </div>
      </div>
      <UsageLine />
    </div>
  );
}

/** Puts the user's last message into the field, to edit it. */
function editLast({ host, panel }: ReturnType<typeof useChat>): void {
  const last = host.state.model.items.findLast(({ kind }) => kind === 'user');
  if (last?.kind === 'user') panel.set({ draft: last.text, edited: last.id });
}

function ModelPickers() {
  const { host, panel } = useChat();
  const models = useModel((model) => model.models);
  const modes = useModel((model) => model.modes);
  return (
    <>
      <Picker
        label="Approval mode"
        tip="What Qwen may do without asking"
        choices={modes}
        onChoose={(id) =>
          void panel.attempt('The approval mode was not changed', () => host.call('chat.setMode', { id }))
        }
      />
      <Picker
        label="Model"
        tip="The model. It becomes the default in your Qwen settings."
        choices={models}
        onChoose={(id) =>
          void panel.attempt('The model was not changed', () => host.call('chat.setModel', { id }))
        }
      />
    </>
  );
}

interface PickerProps {
  readonly label: string;
  readonly tip: string;
  readonly choices: ChatChoices;
  readonly onChoose: (id: string) => void;
}

function Picker({ label, tip, choices, onChoose }: PickerProps) {
  const { current, available } = choices;
  if (available.length === 0) return null;
  const isListed = available.some(({ id }) => id === current);
  return (
    <Select
      className={styles.picker}
      aria-label={label}
      title={tip}
      value={current ?? ''}
      onChange={(event) => onChoose(event.target.value)}
    >
      {!isListed && (
        <option value={current ?? ''}>{current === undefined ? label : visibleName(current)}</option>
      )}
      {available.map(({ id, name }) => (
        <option key={id} value={id}>
          {visibleName(name)}
        </option>
      ))}
    </Select>
  );
}

/** The use of the model's context, and the tokens of this session. */
function UsageLine() {
  const { inputTokens, outputTokens, contextUsed, contextSize } = useModel((model) => model.usage);
  const share =
    contextUsed !== undefined && contextSize !== undefined && contextSize > 0
      ? contextUsed / contextSize
      : undefined;
  const hasTokens = inputTokens + outputTokens > 0;
  if (share === undefined && !hasTokens) return null;
  return (
    <p className={joinClasses('line wraps muted small numbers', styles.usage)}>
      {share !== undefined && (
        <span title={`${contextUsed} of ${contextSize} tokens of the model's context`}>
          Context {Math.round(share * 100)}%
        </span>
      )}
      {hasTokens && (
        <span title="Tokens of this chat, as seen by this panel">
          {shortCount(inputTokens)} in, {shortCount(outputTokens)} out
        </span>
      )}
    </p>
  );
}
