import { type Companion, toRpcError } from '@tandem/companion';
import { deskCalls } from '@tandem/companion/deskCalls';
import {
  type Answer,
  type DeskContract,
  type Handlers,
  type MethodOf,
  type Outgoing,
  type Params,
  type Question,
  RpcError,
} from '@tandem/rpc';
import * as vscode from 'vscode';
import { ask, inTitleCase, warn } from './messages.js';
import type { ReviewView } from './reviews/reviewView.js';
import type { Settings } from './settings.js';

type Method = MethodOf<DeskContract>;
type Done<M extends Method> = Outgoing<DeskContract[M]>;
type Choice = Question['choices'][number];

/** What came of a call: its result, or what it asks first. Empty if it was refused. */
interface Attempt<M extends Method> {
  readonly done?: Done<M>;
  readonly question?: Question;
}

/** The desk of the companion; undefined while none runs. */
export type OpenDesk = () => Promise<Desk | undefined>;

/** What the user is being asked, so that a second click asks nothing. */
const asking = new Set<string>();

/** The calls of a companion's desk for this window, which only shows what they ask and refuse. */
export class Desk {
  readonly #calls: Handlers<DeskContract>;

  constructor(
    companion: Companion,
    of: {
      readonly views: { readonly all: readonly ReviewView[] };
      readonly settings: () => Settings;
    },
  ) {
    this.#calls = deskCalls(companion, {
      find: (id) => {
        const view = of.views.all.find(({ review }) => review.id === id);
        if (view === undefined)
          throw new RpcError('already-decided', vscode.l10n.t('This review is already decided.'));
        view.text.flush();
        return view;
      },
      whenClosed: () => of.settings().whenClosed,
    });
  }

  /** Rejects with `RpcError` if the desk asks or refuses. */
  async call<M extends Method>(method: M, params: Params<DeskContract, M>): Promise<Done<M>> {
    try {
      return await this.#calls[method](params, undefined);
    } catch (error) {
      throw toRpcError(error) ?? error;
    }
  }

  /** Calls, and reports a refusal. That a review was decided elsewhere is not reported: its diff closes. */
  async attempt<M extends Method>(method: M, params: Params<DeskContract, M>): Promise<Attempt<M>> {
    try {
      return { done: await this.call(method, params) };
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      const { question, code, message } = error;
      if (question !== undefined && question.choices.length > 0) return { question };
      if (code !== 'already-decided') void warn(message.replaceAll('\n', ' '));
      return {};
    }
  }

  /** Calls, after all questions. Resolves to undefined if the user cancels or wants to look first: then `show` runs. */
  async ask<M extends Method>(
    method: M,
    params: Params<DeskContract, M>,
    show: () => Promise<void>,
  ): Promise<Done<M> | undefined> {
    const what = JSON.stringify([method, params]);
    if (asking.has(what)) return undefined;
    asking.add(what);
    try {
      for (let answer: Answer | undefined; ; ) {
        const { done, question } = await this.attempt(method, { ...params, answer });
        if (question === undefined) return done;
        const choice = await choose(withShow(question));
        if (choice?.kind === 'show') await show();
        if (choice === undefined || choice.kind === 'show') return undefined;
        answer = choice.answer;
      }
    } finally {
      asking.delete(what);
    }
  }
}

/** Enter presses the first button, which loses nothing. */
function withShow(question: Question): Question {
  const show: Choice = { kind: 'show', label: 'Show again', answer: {} };
  const { choices } = question;
  return choices.length > 1 ? question : { ...question, choices: [show, ...choices] };
}

/** Shows a question. Resolves to the choice; undefined if the user cancels. Closing the dialog chooses `keep`. */
export async function choose({ message, detail, choices }: Question): Promise<Choice | undefined> {
  const buttons = choices.map((choice) => ({
    title: inTitleCase(choice.label),
    isCloseAffordance: choice.kind === 'keep',
    choice,
  }));
  const chosen = await ask(message, detail, ...buttons);
  return buttons.find(({ title }) => title === chosen)?.choice;
}
