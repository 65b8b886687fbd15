import { type ChatQuestion, type ChatQuestions, questionOptions } from '@tandem/chat/model';
import { visibleName } from '@tandem/core';
import { CircleHelp } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import { Badge, Button, Choice, joinClasses } from '../primitives/index.js';
import styles from './cards.module.css';
import type { ChatAnswerChoice } from './chatHost.js';
import { RequestBody } from './requestBody.js';

interface QuestionsCardProps {
  readonly request: ChatQuestions;
  readonly more: number;
  readonly onAnswer: (choice: ChatAnswerChoice) => void;
}

/** Asks one or several questions. Each can also be answered with a free text. */
export function QuestionsCard({ request, more, onAnswer }: QuestionsCardProps) {
  const id = useId();
  const [drafts, setDrafts] = useState<Readonly<Record<string, QuestionDraft>>>({});
  const { questions, isAnswering } = request;
  const { answer, skip } = questionOptions(request);
  const answers = answersOf(questions, drafts);
  const missing = answers === undefined ? 'Answer every question first.' : undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (answers !== undefined) onAnswer({ answers, ...(answer !== undefined && { optionId: answer }) });
  };
  return (
    <form className={joinClasses('stack', styles.request)} aria-labelledby={id} onSubmit={submit}>
      <RequestBody
        icon={CircleHelp}
        titleId={id}
        title={questions.length === 1 ? 'Qwen has a question' : `Qwen has ${questions.length} questions`}
        more={more}
      >
        {questions.map((question, index) => (
          <Question
            key={question.key}
            question={question}
            isFirst={index === 0}
            draft={drafts[question.key] ?? noAnswer}
            onChange={(draft) => setDrafts((all) => ({ ...all, [question.key]: draft }))}
          />
        ))}
      </RequestBody>
      <div className={joinClasses('stack', styles.options)} data-answers>
        <div className="line wraps">
          <Button kind="primary" type="submit" isDisabled={isAnswering} obstacle={missing}>
            Answer
          </Button>
          <Button
            isDisabled={isAnswering}
            onClick={() => onAnswer(skip === undefined ? {} : { optionId: skip })}
          >
            Skip
          </Button>
          {missing !== undefined && <span className="muted small">{missing}</span>}
        </div>
      </div>
    </form>
  );
}

interface QuestionProps {
  readonly question: ChatQuestion;
  readonly isFirst: boolean;
  readonly draft: QuestionDraft;
  readonly onChange: (draft: QuestionDraft) => void;
}

function Question({ question, isFirst, draft, onChange }: QuestionProps) {
  const id = useId();
  const { options, isMultiSelect } = question;
  const type = isMultiSelect ? 'checkbox' : 'radio';
  const chosen = isMultiSelect ? draft.chosen : [];
  return (
    <fieldset className={joinClasses('stack', styles.question)}>
      <legend>
        {question.header !== '' && <Badge>{visibleName(question.header)}</Badge>}{' '}
        {visibleName(question.question)}
        {isMultiSelect && <span className="muted"> Choose any number.</span>}
      </legend>
      {options.map(({ label, description }, index) => (
        <Choice
          key={label}
          type={type}
          name={id}
          data-first={isFirst && index === 0}
          checked={draft.chosen.includes(label)}
          onChange={() => onChange(choose(draft, question, label))}
          title={visibleName(label)}
          meaning={description ? visibleName(description) : undefined}
        />
      ))}
      {options.length > 0 && (
        <Choice
          type={type}
          name={id}
          checked={draft.isOther}
          onChange={() => onChange({ ...draft, isOther: !isMultiSelect || !draft.isOther, chosen })}
          title="Something else…"
        />
      )}
      <input
        type="text"
        className={styles.other}
        data-first={isFirst && options.length === 0}
        data-below={options.length > 0}
        aria-label={`Your own answer: ${question.question}`}
        placeholder={options.length > 0 ? 'Your own words' : 'Your answer'}
        value={draft.other}
        onChange={(event) => onChange({ other: event.target.value, isOther: true, chosen })}
      />
    </fieldset>
  );
}

/** The state of one question. */
interface QuestionDraft {
  /** Labels of the chosen options. */
  readonly chosen: readonly string[];
  /** Whether the free text `other` is chosen. */
  readonly isOther: boolean;
  readonly other: string;
}

export const noAnswer: QuestionDraft = { chosen: [], isOther: false, other: '' };

/** Toggles an option of a multiple choice, or chooses the only one. */
export function choose(draft: QuestionDraft, question: ChatQuestion, label: string): QuestionDraft {
  if (!question.isMultiSelect) return { ...draft, chosen: [label], isOther: false };
  const isChosen = draft.chosen.includes(label);
  const chosen = isChosen ? draft.chosen.filter((each) => each !== label) : [...draft.chosen, label];
  return { ...draft, chosen };
}

/** The answers by the questions' keys: labels in the order of the options, then the free text. Undefined if one is missing. */
export function answersOf(
  questions: readonly ChatQuestion[],
  drafts: Readonly<Record<string, QuestionDraft>>,
): Readonly<Record<string, string>> | undefined {
  const entries = questions.map(({ key, options }) => {
    const { chosen, isOther, other } = drafts[key] ?? noAnswer;
    const labels = options.map(({ label }) => label).filter((label) => chosen.includes(label));
    const free = isOther || options.length === 0 ? other.trim() : '';
    return [key, [...labels, free].filter((part) => part !== '').join(', ')] as const;
  });
  return entries.every(([, answer]) => answer !== '') ? Object.fromEntries(entries) : undefined;
}
